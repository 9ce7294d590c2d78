"""Programs on OpenVINO and on irrun."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engines import need
from tests.lab import records
from tests.lab.openvino_programs.running import ALIKE, ALL, RECORD, RUNS, SIDES, Program, Run, outcome, run

need("openvino")

PROGRAM = """
import sys
import numpy as np
import openvino as ov
from openvino.runtime import opset8

x = opset8.parameter([2], np.float32, name="x")
request = ov.Core().compile_model(ov.Model([opset8.sqrt(x)], [x]), "CPU")
print("answer", *request([np.array([2, 3], np.float32)])[0])
print("version", ov.get_version())
sys.exit(int(sys.argv[1]))
"""


@pytest.mark.rest
@pytest.mark.parametrize("status", [0, 3])
def test_a_program_runs_on_both(status: int, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    program = Program(f"{{folder}}/program.py {status}", "openvino", "^answer")
    for side in SIDES:
        found = run(program, side, {"folder": tmp_path})
        assert found[:2] == (status, ["answer 1.41 1.73"])
        assert found.last.startswith("version ")


def test_outcomes() -> None:
    good, other, bad = Run(0, ["1.0"], "1.0"), Run(0, ["2.0"], "2.0"), Run(1, [], "ImportError: no x")
    assert outcome(good, good) == ALIKE
    assert outcome(Run(0, [], "time"), Run(0, [], "times")) == RUNS
    assert outcome(good, other) == "prints other lines"
    assert outcome(good, bad) == "fails: ImportError: no x"
    assert outcome(bad, bad) == "fails on OpenVINO too: ImportError: no x"


def test_the_record() -> None:
    programs = records.read(RECORD)["programs"]
    assert programs.keys() == ALL.keys()
    assert {found for _, found in programs.values()} == {ALIKE, RUNS}
