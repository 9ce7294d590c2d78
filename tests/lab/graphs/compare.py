"""Compares results, with a tolerance that follows from how errors of rounding spread through the graph.

The graph is computed several times with each tensor slightly disturbed, as a wrong last bit, or a coarse approximation
of a function, would disturb it. Elements may differ as much as the disturbed results do; an integer that a disturbance
changes (a comparison, a rounding, an index of an extreme value) is not compared at all (Monte Carlo arithmetic).
A layer that a disturbance does not fit, because sizes change, is computed without it.

Between forms of irrun an element is right, too, where it is no further from the result in float64 than what it should
be: half precision is not rounded in all of them, and jumps are where they are.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Final

import numpy as np

from irrun.tensor import Array, ElementType
from tests.lab.graphs.evaluate import Evaluator, Use
from tests.lab.graphs.exact import exact_results
from tests.lab.graphs.graph import Graph

MARGIN: Final = 12
"""The factor between the largest deviation seen and the allowed one."""

_EPSILON: Final = {"f16": 6e-4, "bf16": 5e-3, "f8e4m3": 0.07, "f8e5m2": 0.13, "f4e2m1": 0.2, "nf4": 0.2}
_SINGLE: Final = 5e-7
_COARSE: Final = {"ErfInv": 3e-3}
"""Relative errors of functions that the plugin approximates."""
_SMALLEST: Final = {"f16": 6e-8}
"""Magnitudes that round to 0 in a type, but not in the wider type of a computation."""
_ABSOLUTE: Final = {
    "Elu": 1e-7,
    "Erf": 1e-6,
    "Gelu": 2e-6,
    "Mish": 2e-6,
    "Selu": 1e-7,
    "SoftPlus": 1e-6,
    "Swish": 1e-6,
    "Tanh": 1e-6,
    **{f"{kind}{part}": 1e-7 for kind in ("GRU", "LSTM", "RNN", "AUGRU") for part in ("Cell", "Sequence")},
}
"""Absolute errors of functions that the plugin computes as differences, and of what it makes of them."""


class Noise:
    """Disturbs floats relatively, by the precision of their type and operation.

    Every second one disturbs all elements of a tensor alike: equal ones stay equal, and sizes that depend on that stay.
    Some round to a coarser grid, so that elements become equal.
    """

    def __init__(self, number: int) -> None:
        self._random = np.random.default_rng(number)
        self._factor = 4.0 if number % 3 == 2 else 1.0
        self._alike = number % 2 == 1
        self._coarser = number % 6 == 4

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
        if self._coarser:
            mantissa, exponent = np.frexp(array)
            steps, offset = 1 / (self._random.uniform(1, 8) * relative), self._random.uniform(-0.5, 0.5)
            return np.asarray(np.ldexp((np.round(mantissa * steps + offset) - offset) / steps, exponent), array.dtype)
        shape = () if self._alike else array.shape
        scale, shift = (self._random.uniform(-self._factor, self._factor, shape) for _ in range(2))
        return np.asarray(array * (1 + relative * scale) + absolute * shift, dtype=array.dtype)


class Tolerance:
    """The values of the results of a graph, and how far each element may be off: inf where it may be anything."""

    def __init__(self, graph: Graph, runs: int, samples: int) -> None:
        self._graph = graph
        self._evaluator = Evaluator(graph)
        self._noises = map(Noise, range(samples))
        self.facts = [self._evaluator.facts[source] for source in graph.results]
        self._arrays = self._evaluator.runs(runs)
        self.want = self._evaluator.results(self._arrays)
        self.slack = [[np.zeros(array.shape) for array in results] for results in self.want]

    def difference(self, got: Sequence[Sequence[Array]], *, exact: bool = False) -> str | None:
        """Return the difference of results from the expectation, or None. The graph is disturbed while they differ.

        ``exact`` allows for little more than another order of sums, and for half precision that is not rounded.
        """
        margin = 1 if exact else MARGIN
        text = self._difference(got, margin, None)
        for noise in self._noises if text is not None else ():
            self._widen(noise)
            text = self._difference(got, margin, self._exact if exact else None)
            if text is None:
                break
        return text

    def _widen(self, noise: Noise) -> None:
        """Allow for what one disturbance changes."""
        disturbed = self._evaluator.results(self._evaluator.runs(len(self.want), noise, self._arrays))
        for slack, want, got in zip(self.slack, self.want, disturbed, strict=True):
            for index, (before, a, b) in enumerate(zip(slack, want, got, strict=True)):
                same = a.shape == b.shape
                slack[index] = np.maximum(before, _deviation(a, b)) if same else np.full(a.shape, np.inf)
        if not self._graph.is_stateful:
            self.slack = [[np.maximum.reduce(of) for of in zip(*self.slack, strict=True)]] * len(self.want)

    def _difference(
        self, got: Sequence[Sequence[Array]], margin: float, truths: Sequence[Sequence[Array]] | None
    ) -> str | None:
        for run, (results, wants, slacks) in enumerate(zip(got, self.want, self.slack, strict=True)):
            for index, (array, want, slack) in enumerate(zip(results, wants, slacks, strict=True)):
                truth = None if truths is None else truths[run][index]
                text = _differs(array, want, slack, self.facts[index].type, truth, margin)
                if text is not None:
                    return f"output {index}{f' of inference {run}' if run else ''}: {text}"
        return None

    @functools.cached_property
    def _exact(self) -> list[list[Array]] | None:
        return exact_results(self._graph, len(self.want))


def _differs(
    array: Array, want: Array, slack: Array, type: ElementType, truth: Array | None, margin: float
) -> str | None:
    if array.dtype.kind == "U":
        array = array.astype(object)
    if array.dtype != type.external:
        return f"type {array.dtype}, expected {type}"
    if array.shape != want.shape:
        is_free = np.isinf(slack).any() or (truth is not None and array.shape == truth.shape)
        return None if is_free else f"shape {list(array.shape)}, expected {list(want.shape)}"
    if want.dtype.kind != "f":
        wrong = (array != want) & (slack == 0)
    else:
        base = _EPSILON.get(type.name, 1e-6)
        allowed = slack * margin + base * 2 * np.abs(want) + 1e-7 * float(np.abs(want).max(initial=0))
        with np.errstate(invalid="ignore"):
            got = array.astype(np.float64)
            error = np.abs(got - want)
            wrong = ~((error <= allowed) | (got == want) | (np.isnan(got) & np.isnan(want)) | np.isinf(allowed))
    if truth is not None and truth.shape == want.shape:
        wrong &= ~_is_nearer(array, want, truth)
    if not wrong.any():
        return None
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    where = f" at {list(at)}" if at else ""
    return f"{int(wrong.sum())} of {want.size} elements differ: {array[at]}{where}, expected {want[at]}"


def _is_nearer(array: Array, want: Array, truth: Array) -> Array:
    """Return a mask of the elements within the allowed distance from the truth."""
    if want.dtype.kind != "f":
        return np.asarray(array == truth)
    with np.errstate(invalid="ignore"):
        return np.abs(array.astype(np.float64) - truth) <= np.abs(want.astype(np.float64) - truth)


def _deviation(a: Array, b: Array) -> Array:
    """Return the distances between the elements of two arrays; inf for differing elements that are not floats."""
    if a.dtype.kind != "f":
        return np.where(a == b, 0.0, np.inf)
    with np.errstate(invalid="ignore"):
        return np.where(np.isfinite(a) & np.isfinite(b), np.abs(a.astype(np.float64) - b), np.where(a == b, 0, np.inf))
