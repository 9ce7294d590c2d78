"""Cases in OpenVINO's CPU plugin, as disconnected parts of one model: compiling it costs as much as for one case."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from irrun.document.writer import Writer
from tests.cases import Array, Case
from tests.lab import oracle
from tests.ops import harness


def write(cases: Sequence[Case], folder: Path) -> None:
    """Write a model of cases, as the plugin gets each of them, and its inputs."""
    ir = Writer(cases[0].type)
    inputs: list[Array] = []
    for number, case in enumerate(cases):
        constants = harness.constants(case)
        parameters = harness.part(ir, case, f"{number}-", dynamic=case.dynamic, constants=constants)
        inputs += [array for index in parameters if (array := case.inputs[index]) is not None]
    folder.mkdir(parents=True)
    ir.save(folder / "model.xml")
    oracle.save(folder / "inputs.npz", inputs)


def answers(cases: Sequence[Case], folder: Path) -> list[oracle.Answer]:
    """Return the answer for each case; none if the plugin refuses the model, whichever of them is the reason."""
    whole = oracle.answer(folder)
    outputs, types, found = list(whole.outputs), list(whole.types), []
    if len(outputs) != sum(len(case.expected) for case in cases):
        return []
    for case in cases:
        count = len(case.expected)
        found.append(oracle.Answer(outputs[:count], types[:count]))
        del outputs[:count], types[:count]
    return found
