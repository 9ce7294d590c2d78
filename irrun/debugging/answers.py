"""The answers of two sides to a case."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from irrun.debugging.cases import REFUSALS, Case
from irrun.debugging.cutting import save
from irrun.debugging.engines import OpenVINOSide
from irrun.debugging.faults import DebugError
from irrun.debugging.kinds import TensorDifference, fault_of
from irrun.debugging.layers import Tolerance
from irrun.debugging.metrics import Errors, errors
from irrun.debugging.ports import completed, paired
from irrun.debugging.rounding import in_f32, inputs_of, run_rounded
from irrun.debugging.stopping import AS_WRITTEN
from irrun.model import Loaded, build
from irrun.tensor import Array

Arrays = tuple[Array, ...]

_RANK: Final = ("none", "step", "clipping", "error", "text", "not finite", "shape")
"""Ways to differ, the plainest last."""


class Answers(NamedTuple):
    """The outputs of both sides for a case, and the errors of the worst; None where shapes differ."""

    ours: Arrays
    theirs: Arrays

    @property
    def worst(self) -> tuple[int, Errors | None]:
        """The output that differs most, and its errors."""
        found: list[tuple[int, Errors | None]] = []
        for index, (a, b) in enumerate(zip(self.ours, self.theirs, strict=False)):
            if a.shape != b.shape:
                return index, None
            found.append((index, errors(a, b)))
        return max(found, key=lambda item: item[1].relative if item[1] is not None else 0.0, default=(0, None))

    def differ(self, tolerance: Tolerance) -> bool:
        """Return whether an output is beyond the tolerance."""
        rtol, atol, stat = tolerance
        pairs = list(zip(self.ours, self.theirs, strict=False))
        if any(a.shape != b.shape for a, b in pairs):
            return True
        return any(errors(a, b, median=stat == "median").exceeds(rtol, atol, stat) for a, b in pairs)

    @property
    def fault(self) -> TensorDifference:
        """The difference of the output that differs most."""
        found = [fault_of(a, b) for a, b in zip(self.ours, self.theirs, strict=False)]
        return max(found, key=lambda item: (_RANK.index(item.kind), item.relative), default=TensorDifference("none"))


Ask = Callable[[Case], Answers]
"""Returns the answers of both sides to a case."""


def shows(ask: Ask, tolerance: Tolerance, like: TensorDifference | None = None) -> Callable[[Case], bool]:
    """Return a function that tells whether the answers to a case differ, and in the same way as those ``like``.

    `TensorDifference.is_like` says what that is. A case to which one side has no answer does not show a difference.
    """

    def is_shown(case: Case) -> bool:
        try:
            found = ask(case)
        except (*REFUSALS, DebugError, MemoryError):
            return False
        return found.differ(tolerance) and (like is None or found.fault.is_like(like))

    return is_shown


def of_models(config: Mapping[str, Any]) -> Ask:
    """Ask both models of a case, layer by layer as written; outputs of the same name belong together."""

    def ask(case: Case) -> Answers:
        first, second = (_as_written(model, case, config) for model in case.models[:2])
        places = completed(paired(case.model.outputs, case.models[1].outputs), len(second))
        return Answers(first, second if None in places else tuple(second[at] for at in places if at is not None))

    return ask


def of_openvino(config: Mapping[str, Any]) -> Ask:
    """Ask irrun, layer by layer as written, and OpenVINO."""

    def ask(case: Case) -> Answers:
        ours = _as_written(case.model, case, config)
        with tempfile.TemporaryDirectory(prefix="irrun-") as folder:
            path = Path(folder, "model.xml")
            save(case.model, path)
            return Answers(ours, tuple(OpenVINOSide(path, case.by_index).outputs()))

    return ask


def of_optimisation(config: Mapping[str, Any]) -> Ask:
    """Ask irrun, layer by layer as written, and with optimisation."""

    def ask(case: Case) -> Answers:
        return Answers(_as_written(case.model, case, config), build(case.model, config)(case.by_index).to_tuple())

    return ask


def of_precision(name: str, config: Mapping[str, Any]) -> Ask:
    """Ask irrun, layer by layer as written, in f32 and with the operands and results of all layers rounded."""

    def ask(case: Case) -> Answers:
        exact = _as_written(in_f32(case.model), case, config)
        return Answers(exact, run_rounded(case.model, case.by_index, name))

    return ask


def _as_written(model: Loaded, case: Case, config: Mapping[str, Any]) -> Arrays:
    return build(model, {**config, **AS_WRITTEN})(inputs_of(model, case.by_index)).to_tuple()


def names_of(arrays: Sequence[Array], names: Sequence[str]) -> dict[str, Array]:
    """Return arrays by distinct names."""
    found: dict[str, Array] = {}
    for index, array in enumerate(arrays):
        name = names[index] if index < len(names) else f"output_{index}"
        found[name if name not in found else f"{name}_{index}"] = array
    return found
