"""The linter on a large IR: seconds with start-up, peak memory, and the ratio to OpenVINO's read_model.

The IR is generated: half of its layers are constants, the rest a chain of Add, Multiply, ReLU and Clamp.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from irrun.document.writer import Writer
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import F32

SIZE = 8
PARTS = ("irrun.cli.app", "numpy", "lxml.etree")
BARE = [sys.executable, "-c", f"import {', '.join(PARTS)}"]
READ_MODEL = "import sys, openvino; openvino.Core().read_model(sys.argv[1])"


class Run(NamedTuple):
    """Wall time, time on the processor, and peak resident memory."""

    seconds: float
    busy: float
    megabytes: float


def generated(layers: int) -> Writer:
    """An IR with so many layers."""
    ir = Writer("chain")
    fact = Fact(F32, Shape([SIZE]))
    x = ir.parameter("x", F32, Shape([SIZE]))
    kinds = ("Add", "Multiply", "ReLU", "Clamp")
    written = 2
    while written < layers:
        kind = kinds[written // 2 % len(kinds)]
        if kind in ("Add", "Multiply"):
            values = np.full(SIZE, 1 + written % 977, dtype=np.float32)
            inputs, attributes = [x, ir.constant(values, F32)], {"auto_broadcast": "numpy"}
        else:
            inputs, attributes = [x], {"min": "0", "max": "6"} if kind == "Clamp" else {}
        (x,) = ir.layer(kind, "opset1", inputs, [fact], attributes)
        written += len(inputs)
    ir.result(x)
    return ir


def run(command: Sequence[str]) -> Run:
    """What a process takes that must end well."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return Run(time.perf_counter() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def median(command: Sequence[str], runs: int) -> Run:
    found = [run(command) for _ in range(runs)]
    return Run(*(statistics.median(values) for values in zip(*found, strict=True)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--layers", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--keep", type=Path, help="write the IR there")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = arguments.keep or Path(folder) / "chain.xml"
        ir = generated(arguments.layers)
        path.write_text(ir.text.replace("\t", ""), encoding="utf-8")
        path.with_suffix(".bin").write_bytes(ir.weights)
        size = path.stat().st_size / 2**20
        bare = median(BARE, arguments.runs)
        lint = median([sys.executable, "-m", "irrun", "lint", str(path)], arguments.runs)
        openvino = median([sys.executable, "-c", READ_MODEL, str(path)], arguments.runs)
        imported = median([sys.executable, "-c", "import openvino"], arguments.runs)
    print(f"{arguments.layers} layers, {size:.1f} MB, median of {arguments.runs} runs, start-up included")
    for name, item in (
        ("irrun lint", lint),
        ("  of which start-up", bare),
        ("openvino read_model", openvino),
        ("  of which import", imported),
    ):
        multiple = f"{item.megabytes / size:6.1f} x the file" if not name.startswith(" ") else ""
        print(f"{name:22}{item.seconds:7.2f} s, {item.busy:5.2f} s busy {item.megabytes:6.0f} MB peak{multiple}")
    without = (lint.seconds - bare.seconds) / max(openvino.seconds - imported.seconds, 1e-3)
    total = lint.seconds / openvino.seconds
    print(f"irrun lint takes {total:.1f} times as long as read_model, {without:.1f} without start-up")


if __name__ == "__main__":
    main()
