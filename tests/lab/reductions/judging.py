"""A planted fault, the folder that is written for it, and whether it shows the same fault."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from irrun.debugging.answers import Answers, of_models
from irrun.debugging.blames import Blame, NothingToBlame
from irrun.debugging.blaming import blame
from irrun.debugging.cases import REFUSALS, Case, layers_of
from irrun.debugging.kinds import TensorDifference
from irrun.debugging.layers import Tolerance
from irrun.debugging.reducing_pairs import parts, verdict_on
from irrun.debugging.reproducing import write_folder
from irrun.debugging.sides import ModelSide
from irrun.debugging.stopping import AS_WRITTEN
from irrun.model import Loaded, load
from irrun.tensor import Array
from tests.lab.pairs.judging import Pair, outcome, pairs


@dataclass(frozen=True)
class Judged:
    """A folder, as it was read again: ``problem`` is empty where it shows the fault of the whole models."""

    pair: Pair
    blamed: Blame
    fault: TensorDifference
    before: int
    after: int
    problem: str


def judged(pair: Pair, folder: Path) -> Judged | None:
    """Return what is wrong with the folder that is written for a planted fault; None where nobody is blamed."""
    side = ModelSide(pair.other, pair.inputs, AS_WRITTEN)
    try:
        found = blame(pair.model, side, pair.inputs, config=AS_WRITTEN)
    except NothingToBlame:
        return None
    before = len(layers_of(pair.model))
    if not found.reproduces:
        return Judged(pair, found, TensorDifference("none"), before, before, "it does not reproduce")
    write_folder(found, folder)
    case = Case((load(folder / "model.xml"), load(folder / "other.xml")), _inputs(load(folder / "model.xml"), folder))
    answers = answers_of(case)
    verdict = verdict_on(case, answers, Tolerance(), AS_WRITTEN)
    first, again = found.verdict.suspects[0], verdict.suspects[0] if verdict.suspects else None
    problem = ""
    if not answers.differ(Tolerance()):
        problem = "the outputs agree"
    elif outcome(pair, found.verdict) == "right" and outcome(pair, verdict) != "right":
        problem = f"another suspect: {verdict.as_dict()}"
    elif again is None or again.cause != first.cause or not {again.name, again.other} & {first.name, first.other}:
        problem = f"not the suspect of the whole models: {verdict.as_dict()}"
    elif len(layers_of(case.model)) != before and not _is_like(answers.fault, pair, side, found):
        problem = f"{answers.fault} is not the fault of the suspect in the whole models"
    return Judged(pair, found, answers.fault, before, len(layers_of(case.model)), problem)


def _is_like(fault: TensorDifference, pair: Pair, side: ModelSide, found: Blame) -> bool:
    """Return whether a fault is that of the suspect on the tensors of the whole models, before anything is shrunk."""
    for case in parts(pair.model, side, found.verdict.suspects[0]):
        with suppress(*REFUSALS):
            if fault.is_like(answers_of(case).fault):
                return True
    return False


def _inputs(model: Loaded, folder: Path) -> tuple[Array, ...]:
    with np.load(folder / "model.npz") as arrays:
        return tuple(arrays[port.any_name] for port in model.inputs)


def answers_of(case: Case) -> Answers:
    return of_models(AS_WRITTEN)(case)


def reductions(networks: Sequence[str], seed: int, every: int = 1) -> Iterator[Judged]:
    """Yield what was written for planted faults: for one in ``every`` that is blamed on the right layer."""
    for network in networks:
        planted = (pair for pair in pairs(network, seed) if pair.planted is not None)
        for number, pair in enumerate(planted):
            if number % every:
                continue
            with tempfile.TemporaryDirectory() as folder:
                found = judged(pair, Path(folder))
            if found is not None:
                yield found
