"""Compares results, with a tolerance that follows from how errors of rounding spread through the graph.

The graph is computed several times with each tensor slightly disturbed, as a wrong last bit, or a coarse approximation
of a function, would disturb it. Elements may differ as much as the disturbed results do; an integer that a disturbance
changes (a comparison, a rounding, an index of an extreme value) is not compared at all (Monte Carlo arithmetic).
A disturbance that changes sizes, so that later layers do not fit, says nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from irrun.ops import OpError
from irrun.tensor import Array, ElementType
from tests.graphs.evaluate import Evaluator, Use
from tests.graphs.graph import Graph

MARGIN: Final = 12
"""How many times the largest deviation seen a result may deviate."""

WIDENED: Final = 2
"""The same where irrun computes in a wider type than the one declared, beside jumps that are rarely seen."""

_EPSILON: Final = {"f16": 6e-4, "bf16": 5e-3, "f8e4m3": 0.07, "f8e5m2": 0.13, "f4e2m1": 0.2, "nf4": 0.2}
_SINGLE: Final = 5e-7
_COARSE: Final = {"ErfInv": 3e-3}
"""Relative errors of functions that the plugin approximates."""
_SMALLEST: Final = {"f16": 6e-8}
"""What becomes 0 in a type, and may be kept where it is computed in a wider one."""
_ABSOLUTE: Final = {"Erf": 1e-6, "Gelu": 2e-6, "Mish": 2e-6, "SoftPlus": 1e-6, "Tanh": 1e-6, "Swish": 1e-6}
"""Absolute errors of functions that the plugin computes as differences."""


class Noise:
    """Disturbs floats relatively, by the precision of their type and operation.

    Every second one disturbs all elements of a tensor alike: equal ones stay equal, and sizes that depend on that stay.
    """

    def __init__(self, number: int) -> None:
        self._random = np.random.default_rng(number)
        self._factor = 4.0 if number % 3 == 2 else 1.0
        self._alike = number % 2 == 1

    def leaf(self, type: ElementType, array: Array) -> Array:
        return self._disturbed(array, _EPSILON.get(type.name, _SINGLE), 0)

    def layer(self, use: Use) -> Sequence[Array]:
        kind = use.op.type
        if use.op.bodies:
            return use.outputs
        return [
            self._disturbed(
                array,
                max(_EPSILON.get(type.name, _SINGLE), _COARSE.get(kind, 0)),
                max(_SMALLEST.get(type.name, 0), _ABSOLUTE.get(kind, 0)),
            )
            for type, array in zip(use.types, use.outputs, strict=True)
        ]

    def _disturbed(self, array: Array, relative: float, absolute: float) -> Array:
        if array.dtype.kind != "f" or array.size == 0:
            return array
        shape = () if self._alike else array.shape
        scale, shift = (self._random.uniform(-self._factor, self._factor, shape) for _ in range(2))
        return np.asarray(array * (1 + relative * scale) + absolute * shift, dtype=array.dtype)


class Tolerance:
    """The values of the results of a graph, and how far each element may be off: inf where it may be anything."""

    def __init__(self, graph: Graph, runs: int, samples: int) -> None:
        self._evaluator = Evaluator(graph)
        self._noises = map(Noise, range(samples))
        self.facts = [self._evaluator.facts[source] for source in graph.results]
        self.want = self._evaluator.results(runs)
        self.slack = [[np.zeros(array.shape) for array in results] for results in self.want]

    def difference(self, got: Sequence[Sequence[Array]], *, exact: bool = False) -> str | None:
        """How results differ from what they should be, or None. The graph is disturbed as long as they do.

        ``exact`` allows for little more than another order of sums, and for half precision that is not rounded.
        """
        text = self._difference(got, exact)
        for noise in self._noises if text is not None else ():
            self._widen(noise)
            text = self._difference(got, exact)
            if text is None:
                break
        return text

    def _widen(self, noise: Noise) -> None:
        """Allow for what one disturbance changes."""
        try:
            disturbed = self._evaluator.results(len(self.want), noise)
        except (OpError, ValueError, IndexError):
            return
        for slack, want, got in zip(self.slack, self.want, disturbed, strict=True):
            for index, (before, a, b) in enumerate(zip(slack, want, got, strict=True)):
                same = a.shape == b.shape
                slack[index] = np.maximum(before, _deviation(a, b)) if same else np.full(a.shape, np.inf)

    def _difference(self, got: Sequence[Sequence[Array]], exact: bool) -> str | None:
        for run, (results, wants, slacks) in enumerate(zip(got, self.want, self.slack, strict=True)):
            for index, (array, want, slack) in enumerate(zip(results, wants, slacks, strict=True)):
                text = self._differs(array, want, slack, self.facts[index].type, exact)
                if text is not None:
                    return f"output {index}{f' of inference {run}' if run else ''}: {text}"
        return None

    def _differs(self, array: Array, want: Array, slack: Array, type: ElementType, exact: bool) -> str | None:
        if array.dtype.kind == "U":
            array = array.astype(object)
        if array.dtype != type.external:
            return f"type {array.dtype}, expected {type}"
        if array.shape != want.shape:
            return None if np.isinf(slack).any() else f"shape {list(array.shape)}, expected {list(want.shape)}"
        if want.dtype.kind != "f":
            wrong = (array != want) & (slack == 0)
        else:
            base = _EPSILON.get(type.name, 1e-6)
            margin = MARGIN if not exact else WIDENED if type.name in _EPSILON else 1
            allowed = slack * margin + base * 2 * np.abs(want) + 1e-7 * float(np.abs(want).max(initial=0))
            with np.errstate(invalid="ignore"):
                got = array.astype(np.float64)
                wrong = ~(
                    (np.abs(got - want) <= allowed)
                    | (got == want)
                    | (np.isnan(got) & np.isnan(want))
                    | np.isinf(allowed)
                )
        if not wrong.any():
            return None
        at = tuple(int(i) for i in np.argwhere(wrong)[0])
        where = f" at {list(at)}" if at else ""
        return f"{int(wrong.sum())} of {want.size} elements differ: {array[at]}{where}, expected {want[at]}"


def _deviation(a: Array, b: Array) -> Array:
    """How far the elements of two arrays of one shape are apart; inf for others than floats that differ."""
    if a.dtype.kind != "f":
        return np.where(a == b, 0.0, np.inf)
    with np.errstate(invalid="ignore"):
        return np.where(np.isfinite(a) & np.isfinite(b), np.abs(a.astype(np.float64) - b), np.where(a == b, 0, np.inf))
