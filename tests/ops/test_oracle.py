"""The operation cases against OpenVINO's CPU plugin, in a process of its own: it may crash."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.cases import Case, all_cases
from tests.ops import harness

WORKER = Path(__file__).with_name("oracle_worker.py")


def asked() -> list[Case]:
    return [
        case
        for case in all_cases()
        if case.oracle is True and all(array is not None for array in case.inputs) and isinstance(case.opset, int)
    ]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path | str]:
    """The plugin's answers by case: a file of arrays, or the message with which it refuses the model."""
    pytest.importorskip("openvino", reason="the OpenVINO wheel is not installed: there is no oracle")
    root = tmp_path_factory.mktemp("oracle")
    jobs = []
    for number, case in enumerate(asked()):
        folder = root / str(number)
        folder.mkdir()
        constants = case.constant or range(1, len(case.inputs))
        ir, parameters = harness.model(case, constants=tuple(constants))
        ir.save(folder / "model.xml")
        np.savez(folder / "inputs.npz", **{f"in{index}": case.inputs[index] for index in parameters})
        jobs.append(str(folder))
    found: dict[str, Path | str] = {}
    while jobs:
        subprocess.run([sys.executable, str(WORKER), *jobs], check=False, capture_output=True)
        for job in list(jobs):
            folder = Path(job)
            if (folder / "outputs.npz").exists():
                found[job] = folder / "outputs.npz"
            elif (folder / "refused.json").exists():
                found[job] = json.loads((folder / "refused.json").read_text())
            else:
                found[job] = "the native plugin crashed"
                jobs.remove(job)
                break
            jobs.remove(job)
        else:
            break
    return {str(case): found[str(root / str(number))] for number, case in enumerate(asked())}


@pytest.mark.parametrize("case", asked(), ids=str)
def test_agrees_with_the_native_plugin(case: Case, answers: dict[str, Path | str]) -> None:
    answer = answers[str(case)]
    if isinstance(answer, str):
        pytest.skip(f"the native plugin does not run this model: {answer[:120]}")
    with np.load(answer) as data:
        got = [data[f"out{index}"] for index in range(len(case.expected))]
    harness.expect(got, case, rtol=max(case.rtol, 1e-4), atol=max(case.atol, 1e-5))
