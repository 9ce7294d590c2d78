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
Sides = Bounds | tuple[None, None]

_IN_PART: Final = {"Power": 0, "Divide": 1}
"""Operations that keep the order of numbers for some of them only, and the input that decides it."""

_EXACT: Final = 1 << 53
"""The integers up to this one are floats of 64 bits, too."""


def fold_bounds(op: Op, partly: Fact, inputs: Sequence[Fact | None], outputs: Sequence[Fact]) -> tuple[Fact, ...]:
    """Return the output facts with bounds, where ``partly`` is the only input that is not known, but its bounds are.

    The operation runs on the lower and on the upper bounds. The result lies between both results, because it rises, or
    falls, with each element, and rounding keeps the order.
    """
    bounds = _of_dims(partly) if op.type == "Convert" and partly.type.is_integer else partly.bounds
    if bounds is None or not all(fact.shape.is_static and fact.shape.size.lo <= MOST_DIMS for fact in outputs):
        return tuple(outputs)
    if op.type == "Convert" and outputs[0].type.is_integer:
        return (_whole(outputs[0], *map(np.trunc, bounds)),)
    sides = [_sides(fact, bounds) for fact in inputs]
    if not _is_monotonic(op, sides):
        return tuple(outputs)
    types = [fact.type for fact in outputs]
    try:
        low, high = (run(op, arrays, types, facts=inputs) for arrays in zip(*sides, strict=True))
    except (ValueError, IndexError, OverflowError):
        return tuple(outputs)
    return tuple(_between(fact, a, b) for fact, a, b in zip(outputs, low, high, strict=True))


def _sides(fact: Fact | None, bounds: Bounds) -> Sides:
    """Return the arrays of an input for both runs; the bounds are those of the input that is not known."""
    if fact is None:
        return None, None
    return (fact.constant, fact.constant) if fact.constant is not None else bounds


def _is_monotonic(op: Op, sides: Sequence[Sides]) -> bool:
    """Return whether an operation keeps, or turns round, the order of numbers between these.

    A power does so where its base is not negative, a quotient where its divisor does not reach zero from below.
    """
    if op.type not in _IN_PART:
        return True
    low, high = sides[_IN_PART[op.type]]
    if low is None or high is None:
        return False
    return bool(np.all(low >= 0)) if op.type == "Power" else not np.any((low < 0) & (high >= 0))


def _of_dims(fact: Fact) -> Bounds | None:
    """Return the lower and the upper bounds of partly known integers, as floats; None where nothing is known."""
    if fact.value is None:
        return None
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
