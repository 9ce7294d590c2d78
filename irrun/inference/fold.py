"""Constant folding during inference: runs shape arithmetic on known values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from irrun.inference.bounds import fold_bounds
from irrun.inference.symbolic import WHOLE, fold_dims
from irrun.ops import Fold, Op, OpError
from irrun.ops.calling import as_computed, empty, is_converted_back, run
from irrun.tensor import Fact

MOST_ELEMENTS: Final = 4096
"""The limit above which an output is not folded: it is a weight, not a shape."""

MOST_RANK: Final = 64
"""The highest rank of an array."""


def fold(op: Op, inputs: Sequence[Fact | None], outputs: Sequence[Fact]) -> tuple[Fact, ...]:
    """Return the output facts, with values where the values of the inputs determine them."""
    if op.foldable is Fold.NEVER or not all(map(_affordable, outputs)):
        return tuple(outputs)
    if op.spec.also:
        if is_converted_back(op, outputs):
            return tuple(outputs)
        inputs = as_computed(op, inputs)
    partly = [fact for fact in inputs if fact is not None and not fact.is_constant]
    if op.foldable is Fold.BOUNDS and len(partly) == 1 and any(fact.type.is_float for fact in (*partly, *outputs)):
        return fold_bounds(op, partly[0], inputs, outputs)
    if partly and (not op.foldable.takes_dims or any(fact.type.kind not in WHOLE for fact in outputs)):
        return tuple(outputs)
    if not [fact for fact in outputs if fact.value is None]:
        return tuple(outputs)
    return fold_dims(op, inputs, outputs) if partly else _values(op, inputs, outputs)


def _affordable(fact: Fact) -> bool:
    dims = fact.shape.dims
    if dims is None or [dim for dim in dims if dim.lo != dim.hi]:
        return True
    return len(dims) <= MOST_RANK and math.prod([dim.lo for dim in dims]) <= MOST_ELEMENTS


def _values(op: Op, inputs: Sequence[Fact | None], outputs: Sequence[Fact]) -> tuple[Fact, ...]:
    arrays = [None if fact is None else fact.constant for fact in inputs]
    if sum(array.size for array in arrays if array is not None) > 64 * MOST_ELEMENTS:
        return tuple(outputs)
    if not all(fact.shape.is_static for fact in outputs):
        return tuple(outputs)
    try:
        types, shapes = [fact.type for fact in outputs], [fact.shape for fact in outputs]
        values = empty(outputs) or run(op, arrays, types, shapes, facts=inputs)
    except OpError:
        raise
    except (ValueError, IndexError, OverflowError, MemoryError):
        return tuple(outputs)
    if not all(fact.shape.admits(value.shape) for fact, value in zip(outputs, values, strict=True)):
        return tuple(outputs)
    return tuple(Fact(fact.type, fact.shape, value) for fact, value in zip(outputs, values, strict=True))
