"""Runs the operation cases on OpenVINO's CPU plugin and compares its answers with the expected outputs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal, NamedTuple

from irrun.document.writer import Writer
from irrun.ops.calling import infer
from irrun.ops.departures import GENERAL
from tests.cases import AnyCase, Array, Case, ModelCase
from tests.lab import oracle
from tests.ops import harness

Outcome = Literal["agrees", "differs", "refuses", "crashes"]
RTOL, ATOL = 1e-4, 1e-5
"""The smallest tolerance: the plugin may sum in any order."""


class Reply(NamedTuple):
    """The outcome of a case, with the difference or the message where the plugin does not agree."""

    outcome: Outcome
    detail: str = ""


def is_asked(case: AnyCase) -> bool:
    """Return True if a case can be written as a model; an IR cannot leave out an input before a given one."""
    return all(array is not None for array in case.inputs)


def ask(cases: Iterable[AnyCase], root: Path) -> dict[str, Reply]:
    """Run cases on the plugin, in folders named after their content: an existing answer is reused."""
    asked = [(case, put(case, root)) for case in cases]
    oracle.ask(folder for _, folder in asked)
    return {str(case): reply(case, oracle.answer(folder)) for case, folder in asked}


def reason(case: AnyCase) -> str:
    """Return the text of the departure of a case; KeyError if neither the operation nor ``GENERAL`` has its key."""
    departures = harness.declaration(case).spec.departures
    return departures[case.departs] if case.departs in departures else GENERAL[case.departs]


def put(case: AnyCase, root: Path) -> Path:
    """Write the model of a case and its inputs into a folder named after their content."""
    folder = oracle.put(*model(case), root)
    if isinstance(case, ModelCase):
        (folder / "runs").write_text(str(case.runs))
    return folder


def model(case: AnyCase) -> tuple[Writer, list[Array]]:
    """Return the model of a case, named after it, and its inputs."""
    if isinstance(case, Case):
        ir, parameters = harness.model(case, dynamic=case.dynamic, constants=harness.constants(case))
        return ir, [array for index in parameters if (array := case.inputs[index]) is not None]
    return harness.whole(case), list(case.inputs)


def reply(case: AnyCase, answer: oracle.Answer) -> Reply:
    """Compare an answer with the expected outputs of a case."""
    if answer.refused:
        return Reply("crashes" if answer.refused.startswith("crashes") else "refuses", answer.refused)
    if isinstance(case, Case):
        declared = [fact.type.name for fact in infer(harness.operation(case), harness.facts(case))]
        if list(answer.types) != declared[: len(answer.types)]:
            return Reply("differs", f"the outputs are {', '.join(answer.types)}, expected {', '.join(declared)}")
    try:
        harness.expect(answer.outputs, case, max(case.rtol, RTOL), max(case.atol, ATOL))
    except AssertionError as error:
        return Reply("differs", str(error))
    return Reply("agrees")
