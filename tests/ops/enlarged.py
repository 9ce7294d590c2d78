"""Cases with larger inputs: some axes repeated, wherever the operation still accepts them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from irrun.tensor import Array
from tests.cases import Case

Axes = frozenset[tuple[int, int]]


def axes(case: Case) -> Iterator[Axes]:
    """Yield sets of axes, as (input, axis), that may grow together: those of equal size, in equal places, or alone."""
    shapes = {index: array.shape for index, array in enumerate(case.inputs) if array is not None}
    size = {(index, axis): length for index, shape in shapes.items() for axis, length in enumerate(shape)}
    equal = [frozenset(at for at in size if size[at] == wanted) for wanted in sorted(set(size.values()))]
    placed = [frozenset(at for at in size if (at[1], size[at]) == (first[1], size[first])) for first in size]
    yield from dict.fromkeys([*equal, *placed, *(frozenset([at]) for at in size)])


def repeated(case: Case, grown: Axes, times: int) -> Sequence[Array | None]:
    """Return the inputs with the elements along these axes repeated."""
    inputs = list(case.inputs)
    for index, axis in grown:
        array = inputs[index]
        assert array is not None
        inputs[index] = np.concatenate([array] * times, axis=axis)
    return inputs
