"""Runs a program on an installed OpenVINO: ``on_openvino.py PROGRAM ARGUMENTS``.

As with irrun, floats are f32, and ``openvino.runtime`` is the name that the main module had until release 2025.
"""

import os
import runpy
import sys

import openvino

begin = openvino.Core.__init__


def begin_in_f32(core, *arguments):
    begin(core, *arguments)
    core.set_property("CPU", {"INFERENCE_PRECISION_HINT": "f32"})


openvino.Core.__init__ = begin_in_f32
sys.modules["openvino.runtime"] = openvino
del sys.argv[0]
sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
runpy.run_path(sys.argv[0], run_name="__main__")
