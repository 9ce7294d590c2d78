"""Run OpenVINO's own tests of its Python API on the installed openvino and on irrun, and compare them by function.

The folder is ``src/bindings/python`` of a copy of OpenVINO's sources, or a part of it that has the folder ``tests``.
Tests of an older release may need the names of the modules of the installed one. ``--record`` writes the results, from
which ``tools/generate.py`` makes a section of docs/openvino-api.md. A function counts where OpenVINO passes all of its
cases.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from tests.lab import records
from tests.lab.openvino_tests.functions import RECORD, SIDES, compare, run, summary, text


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.lab openvino_tests", description=__doc__)
    parser.add_argument("folder", type=Path, help="the folder that has OpenVINO's folder of tests")
    parser.add_argument("--files", default="", help="a regular expression that the names of the files contain")
    parser.add_argument("--workers", type=int, default=2, help="the number of processes")
    parser.add_argument("--messages", action="store_true", help="print what irrun says to each case that fails")
    parser.add_argument("--release", help="the release that the tests are of; by default the installed one")
    parser.add_argument("--record", action="store_true", help="write docs/data/openvino-tests.json")
    given = parser.parse_args(arguments)
    known, own = (run(given.folder.resolve(), given.files, side, given.workers) for side in SIDES)
    functions = compare(known, own)
    record = {"openvino": version("openvino"), "tests": given.release or version("openvino"), **summary(functions)}
    for function in functions:
        if function.failures:
            print(f"{function.name}: {len(function.failures)} of {function.cases}; {text(function) or 'no reason'}")
            for message in function.failures if given.messages else ():
                print(f"    {message}")
    print("\n".join(f"{key}: {value}" for key, value in record.items() if not isinstance(value, dict)))
    if given.record:
        records.write(RECORD, record)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
