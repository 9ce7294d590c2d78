"""The smallest case of two models that shows a suspect: its layers, its region, or both models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from irrun.debugging.answers import Answers, of_models
from irrun.debugging.cases import REFUSALS, Case
from irrun.debugging.cutting_pairs import beside, joint, of_layers
from irrun.debugging.diagnosing import diagnose_models
from irrun.debugging.faults import DebugError
from irrun.debugging.kinds import TensorDifference
from irrun.debugging.layers import Tolerance
from irrun.debugging.shrinking import shrunk
from irrun.debugging.sides import ModelSide
from irrun.debugging.stopping import AS_WRITTEN
from irrun.debugging.verdicts import Suspect, Verdict
from irrun.model import Loaded
from irrun.tensor import Array


def smallest_pair(
    model: Loaded,
    side: ModelSide,
    inputs: Mapping[int, Array],
    suspect: Suspect,
    tolerance: Tolerance,
    config: Mapping[str, Any],
) -> Case:
    """Return the smallest case found in which two models differ in the same way, because of the same suspect.

    It has the suspected layer of each model, or the region, on the tensors of the other model; where that alone does
    not differ, or because of something else, both models.
    """
    ask = of_models(config)

    def told(case: Case, like: TensorDifference | None = None) -> Answers | None:
        """Return the answers to a case, if their fault is ``like`` another one and the suspect is the same."""
        try:
            found = ask(case)
            if not found.differ(tolerance) or (like is not None and not found.fault.is_like(like)):
                return None
            verdict = verdict_on(case, found, tolerance, config)
        except (*REFUSALS, DebugError, MemoryError):
            return None
        return found if names(verdict, suspect) else None

    def is_told(case: Case, like: TensorDifference) -> bool:
        return told(case, like) is not None

    for case in parts(model, side, suspect):
        answers = told(case)
        if answers is not None:
            return shrunk(case, partial(is_told, like=answers.fault))
    return Case((model, beside(model, side.model)), tuple(inputs[place] for place in sorted(inputs)))


def parts(model: Loaded, side: ModelSide, suspect: Suspect) -> Iterator[Case]:
    """Yield the suspected layer of each model as a case, and the region, where they can be cut out."""
    with suppress(DebugError, *REFUSALS):
        if suspect.ids is not None:
            yield joint(model, side.model, of_layers(model, suspect.ids[0], side.model, suspect.ids[1]), side.inputs)
    with suppress(DebugError, *REFUSALS):
        if suspect.cut is not None:
            yield joint(model, side.model, suspect.cut, side.inputs)


def verdict_on(case: Case, answers: Answers, tolerance: Tolerance, config: Mapping[str, Any]) -> Verdict:
    """Return the verdict on a case of two models."""
    settings = {**config, **AS_WRITTEN}
    side = ModelSide(case.models[1], case.by_index, settings)
    written = answers.ours, answers.theirs
    return diagnose_models(case.model, side, case.by_index, *written, tolerance, settings, written)


def names(verdict: Verdict, suspect: Suspect) -> bool:
    """Return whether the first suspect of a verdict is a layer of another one, for the same cause."""
    if not verdict.suspects or verdict.suspects[0].cause != suspect.cause:
        return False
    first = verdict.suspects[0]
    return bool({first.name, first.other} & {suspect.name, suspect.other} - {""})
