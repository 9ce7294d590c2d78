"""Constant folding with partly known values: runs shape arithmetic on arrays of dims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from irrun.ops import Op
from irrun.ops.blame import runner
from irrun.tensor import UNBOUNDED, Array, Dim, ElementType, Fact, Undecided

WHOLE: Final = ("int", "uint", "boolean")
"""The kinds of element types that shape arithmetic computes in."""

MOST_DIMS: Final = 64
"""The limit on the elements of a shape tensor that is folded while only partly known."""


def fold_dims(op: Op, inputs: Sequence[Fact | None], outputs: Sequence[Fact]) -> tuple[Fact, ...]:
    """Run the operation on object arrays of dims, for inputs that are partly or fully unknown."""
    arrays: list[Array | None] = []
    for fact in inputs:
        array = None if fact is None else _symbolic(fact)
        if fact is not None and array is None:
            return tuple(outputs)
        arrays.append(array)
    asked = {"facts": inputs} if "facts" in op.spec.run_asks else {}
    try:
        with np.errstate(all="ignore"):
            absent = [None for _ in op.inputs[len(arrays) :] if not op.inputs[-1].variadic]
            returned = runner(op)(*arrays, *absent, **asked)
    except Undecided:
        return tuple(outputs)
    results = returned if isinstance(returned, tuple | list) else (returned,)
    return tuple(with_value(fact, np.asarray(value)) for fact, value in zip(outputs, results, strict=True))


def _symbolic(fact: Fact) -> Array | None:
    """Return the value as an array of integers and dims, unknown elements as ``Dim.anything()``, or 0 to 1 of booleans.

    None for tensors that are not integral, too long or of unknown size.
    """
    if fact.type.kind not in WHOLE:
        return None
    if fact.value is not None:
        return fact.value
    if not fact.shape.is_static or fact.shape.size.lo > MOST_DIMS:
        return None
    unknown = np.empty(fact.shape.static, dtype=object)
    unknown.fill(Dim.anything() if fact.type.is_integer else Dim(0, 1))
    return unknown


def with_value(fact: Fact, value: Array) -> Fact:
    """Return the fact with the computed value, converted to plain integers where all dims are known."""
    if not fact.shape.admits(value.shape):
        return fact
    if value.dtype != object:
        return Fact(fact.type, fact.shape, value.astype(fact.type.dtype))
    if fact.type.kind == "boolean":
        return fact
    elements = [_wrapped(item, fact.type) for item in value.reshape(-1).tolist()]
    if all(isinstance(element, int) for element in elements):
        return Fact.of(fact.type, np.array(elements, dtype=fact.type.dtype).reshape(value.shape))
    if all(isinstance(element, Dim) and element.lo < 0 and element.expr is None for element in elements):
        return fact
    symbolic = np.empty(len(elements), dtype=object)
    symbolic[:] = elements
    return Fact(fact.type, fact.shape, symbolic.reshape(value.shape))


def _wrapped(item: Dim | int, type: ElementType) -> Dim | int:
    """Return an element as its type can hold it: a known value wraps around, one that may overflow becomes any value.

    A dim without an upper or lower bound is assumed to fit types of 32 bits and more.
    """
    low = -(1 << (type.bits - 1)) if type.kind == "int" else 0
    high = low + (1 << type.bits) - 1
    if not isinstance(item, Dim):
        return (int(item) - low) % (1 << type.bits) + low
    if item.is_static:
        beyond = abs(item.lo) >= UNBOUNDED
        return Dim.anything() if beyond else _wrapped(item.lo, type)
    if low <= item.lo and item.hi <= high:
        return item
    unbounded = type.bits >= 32 and (item.hi == UNBOUNDED or item.lo == -UNBOUNDED)
    return item if unbounded else Dim(low, high)
