"""Constant folding during inference: runs shape arithmetic on known and partly known values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from irrun.ops import Fold, Op, OpError
from irrun.ops.calling import run
from irrun.tensor import UNBOUNDED, Array, Dim, ElementType, Fact, Undecided

MOST_ELEMENTS: Final = 4096
"""The limit above which an output is not folded: it is a weight, not a shape."""

MOST_RANK: Final = 64
"""The highest rank of an array."""

MOST_DIMS: Final = 64
"""The limit on the elements of a shape tensor that is folded while only partly known."""

_WHOLE: Final = ("int", "uint", "boolean")


def fold(op: Op, inputs: Sequence[Fact | None], outputs: Sequence[Fact]) -> tuple[Fact, ...]:
    """Return the output facts, with values where the values of the inputs determine them."""
    if op.foldable is Fold.NEVER or not all(_affordable(fact) for fact in outputs):
        return tuple(outputs)
    whole = all(fact is None or fact.is_constant for fact in inputs)
    if not whole and (op.foldable is not Fold.DIMS or any(fact.type.kind not in _WHOLE for fact in outputs)):
        return tuple(outputs)
    if all(fact.value is not None for fact in outputs):
        return tuple(outputs)
    return _values(op, inputs, outputs) if whole else _dims(op, inputs, outputs)


def _affordable(fact: Fact) -> bool:
    if not fact.shape.is_static:
        return True
    return len(fact.shape) <= MOST_RANK and fact.shape.size.lo <= MOST_ELEMENTS


def _values(op: Op, inputs: Sequence[Fact | None], outputs: Sequence[Fact]) -> tuple[Fact, ...]:
    arrays = [None if fact is None else fact.constant for fact in inputs]
    if sum(array.size for array in arrays if array is not None) > 64 * MOST_ELEMENTS:
        return tuple(outputs)
    if not all(fact.shape.is_static for fact in outputs):
        return tuple(outputs)
    try:
        values = run(op, arrays, [fact.type for fact in outputs], facts=inputs)
    except OpError:
        raise
    except (ValueError, IndexError, OverflowError, MemoryError):
        return tuple(outputs)
    if not all(fact.shape.admits(value.shape) for fact, value in zip(outputs, values, strict=True)):
        return tuple(outputs)
    return tuple(Fact(fact.type, fact.shape, value) for fact, value in zip(outputs, values, strict=True))


def _dims(op: Op, inputs: Sequence[Fact | None], outputs: Sequence[Fact]) -> tuple[Fact, ...]:
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
            returned = op.run(*arrays, *(None for _ in op.inputs[len(arrays) :] if not op.inputs[-1].variadic), **asked)
    except Undecided:
        return tuple(outputs)
    results = returned if isinstance(returned, tuple | list) else (returned,)
    return tuple(_with_value(fact, np.asarray(value)) for fact, value in zip(outputs, results, strict=True))


def _symbolic(fact: Fact) -> Array | None:
    """Return the value as an array of integers and dims, unknown elements as ``Dim.anything()``.

    None for tensors that are not integral, too long or of unknown size.
    """
    if fact.type.kind not in _WHOLE:
        return None
    if fact.value is not None:
        return fact.value
    if not fact.type.is_integer or not fact.shape.is_static or fact.shape.size.lo > MOST_DIMS:
        return None
    unknown = np.empty(fact.shape.static, dtype=object)
    unknown.fill(Dim.anything())
    return unknown


def _with_value(fact: Fact, value: Array) -> Fact:
    """Return the fact with the computed value, converted to plain integers where all dims are known."""
    if not fact.shape.admits(value.shape):
        return fact
    if value.dtype != object:
        return Fact(fact.type, fact.shape, value.astype(fact.type.dtype))
    if fact.type.kind == "boolean":
        return fact
    dims = [_wrapped(Dim.of(item), fact.type) for item in value.reshape(-1).tolist()]
    if all(dim.is_static for dim in dims):
        known = np.array([dim.lo for dim in dims], dtype=fact.type.dtype).reshape(value.shape)
        return Fact.of(fact.type, known)
    if all(dim.lo < 0 and dim.expr is None for dim in dims):
        return fact
    symbolic = np.empty(len(dims), dtype=object)
    symbolic[:] = dims
    return Fact(fact.type, fact.shape, symbolic.reshape(value.shape))


def _wrapped(dim: Dim, type: ElementType) -> Dim:
    """Return the dim as the element type can hold it: a known value wraps around, one that may overflow becomes any
    value.

    A dim without an upper or lower bound is assumed to fit types of 32 bits and more.
    """
    low = -(1 << (type.bits - 1)) if type.kind == "int" else 0
    high = low + (1 << type.bits) - 1
    if low <= dim.lo and dim.hi <= high:
        return dim
    if dim.is_static:
        return Dim((dim.lo - low) % (1 << type.bits) + low)
    unbounded = type.bits >= 32 and (dim.hi == UNBOUNDED or dim.lo == -UNBOUNDED)
    return dim if unbounded else Dim(low, high)
