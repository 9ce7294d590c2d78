"""Folding of floats between bounds: shape arithmetic in f32, on sizes that are partly known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from irrun.inference.symbolic import MOST_DIMS, with_value
from irrun.ops import Op
from irrun.ops.calling import run
from irrun.tensor import UNBOUNDED, Array, BoundedFact, Dim, Fact

Bounds = tuple[Array, Array]

_EXACT: Final = 1 << 53
"""The integers up to this one are floats of 64 bits, too."""


def fold_bounds(op: Op, inputs: Sequence[Fact | None], outputs: Sequence[Fact]) -> tuple[Fact, ...]:
    """Return the output facts with bounds, where one input is known between bounds and all others are known.

    The operation runs on the lower and on the upper bounds. The result lies between both results, because it rises, or
    falls, with each element (a power does so where its base is not negative), and rounding keeps the order.
    """
    partly = [fact for fact in inputs if fact is not None and not fact.is_constant]
    bounds = _bounds(partly[0]) if len(partly) == 1 else None
    if bounds is None or not all(fact.shape.is_static and fact.shape.size.lo <= MOST_DIMS for fact in outputs):
        return tuple(outputs)
    if outputs[0].type.is_integer:
        return (_whole(outputs[0], *map(np.trunc, bounds)),) if op.type == "Convert" else tuple(outputs)
    if op.type == "Power" and not all(side is not None and np.all(side >= 0) for side in _sides(inputs[0], bounds)):
        return tuple(outputs)
    types = [fact.type for fact in outputs]
    try:
        low, high = (
            run(op, arrays, types, facts=inputs)
            for arrays in zip(*(_sides(fact, bounds) for fact in inputs), strict=True)
        )
    except (ValueError, IndexError, OverflowError):
        return tuple(outputs)
    return tuple(_between(fact, a, b) for fact, a, b in zip(outputs, low, high, strict=True))


def _sides(fact: Fact | None, bounds: Bounds) -> Bounds | tuple[None, None]:
    """Return the arrays of an input for both runs; the bounds are those of the input that is not known."""
    if fact is None:
        return None, None
    return (fact.constant, fact.constant) if fact.constant is not None else bounds


def _bounds(fact: Fact) -> Bounds | None:
    """Return the lower and the upper bounds of the elements of a partly known tensor; None where there are none."""
    if fact.bounds is not None or fact.value is None or not fact.type.is_integer:
        return fact.bounds
    dims = [Dim.of(item) for item in fact.value.reshape(-1).tolist()]
    lower = [-np.inf if dim.lo < -_EXACT else float(dim.lo) for dim in dims]
    upper = [np.inf if dim.hi > _EXACT else float(dim.hi) for dim in dims]
    return np.array(lower).reshape(fact.value.shape), np.array(upper).reshape(fact.value.shape)


def _between(fact: Fact, a: Array, b: Array) -> Fact:
    """Return the fact of an output between two results, in any order."""
    if not fact.type.is_float or not (fact.shape.admits(a.shape) and a.shape == b.shape):
        return fact
    open_ends = np.isnan(a) | np.isnan(b)
    lower, upper = np.where(open_ends, -np.inf, np.minimum(a, b)), np.where(open_ends, np.inf, np.maximum(a, b))
    if np.array_equal(lower, upper):
        return Fact(fact.type, fact.shape, lower.astype(a.dtype))
    return BoundedFact(fact.type, fact.shape, (lower.astype(a.dtype), upper.astype(a.dtype)))


def _whole(fact: Fact, lower: Array, upper: Array) -> Fact:
    """Return the fact of an output of integers between whole floats."""
    if not fact.shape.admits(lower.shape):
        return fact
    dims = np.empty(lower.size, object)
    dims[:] = [
        Dim(int(max(low, -UNBOUNDED)), int(min(high, UNBOUNDED)))
        for low, high in zip(lower.reshape(-1).tolist(), upper.reshape(-1).tolist(), strict=True)
    ]
    return with_value(fact, dims.reshape(lower.shape))
