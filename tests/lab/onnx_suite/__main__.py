"""Run ONNX's own backend suite, as OpenVINO converts it, in irrun and in OpenVINO's CPU plugin.

The folder keeps the converted models and the plugin's answers for the next run. ``--record`` writes the results, from
which ``tools/generate.py`` makes a section of docs/conformance.md. The exit status is 1 if irrun finds a fault in a
model, or a case fails without a reason in ``reasons.py``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from tests.lab import records
from tests.lab.onnx_suite.judging import convert, judge
from tests.lab.onnx_suite.page import RECORD, report, summary, unexplained


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.lab onnx_suite", description=__doc__)
    parser.add_argument("folder", type=Path, help="folder of the converted models; missing ones are converted")
    parser.add_argument("--record", action="store_true", help="write docs/data/onnx-suite.json")
    given = parser.parse_args(arguments)
    record = summary([judge(folder) for folder in convert(given.folder)])
    print("\n".join(report(record)))
    if given.record:
        versions = {"onnx": version("onnx"), "openvino": version("openvino")}
        records.write(RECORD, {**versions, **record})
    return 1 if record["findings"] or unexplained(record) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
