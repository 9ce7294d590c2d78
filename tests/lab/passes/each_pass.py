"""Each pass of the optimiser alone, and each left out, compared with the model without passes.

Inputs are in ``inputs*.npz`` beside the model, one file for each inference of a session, or random.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

import irrun.model
from irrun.diagnostics import IRError, OpError
from irrun.model.random_inputs import random_input
from irrun.optimize import PASSES
from irrun.tensor import Array

TOLERANCE: Final = 1e-4
"""The largest error of a number, as a part of the largest number of its output."""

NAMES: Final = tuple(item.name for item in PASSES)


class Outcome(NamedTuple):
    """The largest error of a model that is optimised by one pass, or by all ``but`` that one."""

    model: str
    name: str
    but: bool
    error: float

    def __str__(self) -> str:
        return f"{self.model}: {'all but ' if self.but else ''}{self.name}: {self.error:.3g}"


def outcomes(path: Path, names: Sequence[str] = NAMES, **config: Any) -> Iterator[Outcome]:
    """Run a model with each of the passes alone, and with each left out; IRError or OpError if it cannot run."""
    model = irrun.model.load(path)
    plain = irrun.model.build(model, {**config, "OPTIMIZE": {"disable": NAMES}})
    given = inputs(path, plain)
    expected = run(plain, given)
    for name in names:
        for but in (False, True):
            disabled = [name] if but else [other for other in NAMES if other != name]
            try:
                compiled = irrun.model.build(model, {**config, "OPTIMIZE": {"disable": disabled}})
                error = _error(run(compiled, given), expected)
            except (IRError, OpError):
                error = np.inf
            yield Outcome(str(path), name, but, error)


def run(compiled: irrun.model.Compiled, inputs: Sequence[dict[str, Array]]) -> list[Array]:
    """The outputs of some inferences of a session."""
    session = compiled.session()
    return [array for given in inputs for array in session.run(given).to_tuple()]


def inputs(path: Path, compiled: irrun.model.Compiled) -> list[dict[str, Array]]:
    """The inputs of each inference."""
    files = sorted(path.parent.glob("inputs*.npz"))
    if not files:
        return [{port.any_name: random_input(port) for port in compiled.inputs}]
    given = []
    for file in files:
        with np.load(file) as arrays:
            given.append(dict(arrays))
    return given


def _error(got: Sequence[Array], want: Sequence[Array]) -> float:
    return max((_largest(*pair) for pair in zip(got, want, strict=True)), default=0.0)


def _largest(got: Array, want: Array) -> float:
    if got.shape != want.shape or got.dtype != want.dtype:
        return np.inf
    if want.dtype.kind not in "fiu":
        return 0.0 if np.array_equal(got, want) else np.inf
    a, b = got.astype(np.float64), want.astype(np.float64)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    gap = np.where(same, 0, np.abs(np.subtract(a, b, where=~same, out=np.zeros_like(a))))
    scale = np.abs(b).max(initial=0, where=np.isfinite(b))
    largest = float(gap.max(initial=0))
    return largest / float(scale or 1) if np.isfinite(largest) else np.inf
