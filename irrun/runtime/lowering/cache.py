"""Variables that grow in place, and attention over them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from irrun.ops import Op
from irrun.ops.fused.fused_append import FusedAppend
from irrun.ops.fused.fused_attention import FusedAttention
from irrun.ops.fused.fused_concat import FusedConcat
from irrun.ops.movement.concat import Concat
from irrun.runtime.lowering.builder import Builder, Interpreted, Late, Lowering, Value, is_f32
from irrun.runtime.lowering.copies import contiguous
from irrun.runtime.lowering.stacks import matrices_of
from irrun.runtime.plan import Step
from irrun.tensor import Array, Fact, Shape
from irrun.tensor.element_type import BOOLEAN, F32
from irrun_kernels.cache import Append, CachedAttention, append, cached_attention, workspace_of
from irrun_kernels.host import LANES

_MOST_QUERIES = 96
"""Queries of a task."""


def appended(
    step: Step, builder: Builder, new: Value, init: Value | None = None, order: Value | None = None
) -> tuple[Late] | None:
    """The value of a variable, extended."""
    op = step.node.op
    assert isinstance(op, FusedAppend)
    return _extended(step, builder, new, op.axis, op.extended, (init, order))


def joined(step: Step, builder: Builder, *inputs: Value) -> tuple[Late] | None:
    """Append an array to a late one, such as a cache among the inputs of a model."""
    op, fact = step.node.op, step.facts[0]
    assert isinstance(op, Concat | FusedConcat)
    if isinstance(op, FusedConcat) and (op.grows or op.room is not None):
        return None
    if len(inputs) != 2 or not isinstance(inputs[0], Late) or not fact.rank or inputs[0].fact.type is not F32:
        return None
    axis = op.axis % fact.rank
    return _extended(step._replace(asks=()), builder, inputs[1], axis, functools.partial(_longer, axis), inputs[:1])


def _longer(axis: int, shape: tuple[int, ...], past: Array) -> Array:
    """Return a copy of ``past`` with room to append an array of this shape."""
    before, size, behind = past.shape[:axis], past.shape[axis], past.shape[axis + 1 :]
    if (*before, shape[axis], *behind) != shape:
        raise ValueError(f"arrays of shapes {past.shape} and {shape} cannot be joined along axis {axis}")
    result = np.empty((*before, size + shape[axis], *behind), past.dtype)
    result[(slice(None),) * axis + (slice(size),)] = past
    return result


def _extended(
    step: Step,
    builder: Builder,
    new: Value,
    axis: int,
    extend: Callable[..., Array],
    others: tuple[Value | None, ...],
) -> tuple[Late] | None:
    """``extend(shape, *others)`` makes room in the prelude, a call writes ``new`` to the end of that."""
    if isinstance(new, Late) or not is_f32(new) or not 0 < new.ndim <= 4 or axis == new.ndim - 1:
        return None
    if any(id(value) in builder.pending for value in others):
        return None
    if new.strides[-1] != 4:
        whole = contiguous(builder, new)
        if whole is None:
            return None
        new = whole
    out = builder.value(step.facts[0])
    if not isinstance(out, Late):
        return None
    make_room = step._replace(run=functools.partial(extend, new.shape))
    builder.prelude.append(Interpreted(make_room, others, (out,), is_fresh=True))
    builder.announced.add(id(out))
    front = 4 - new.ndim
    x = new.reshape((1,) * front + new.shape)
    arguments = Append(matrices_of(builder, x), builder.address(out.row), front + axis, *x.shape)
    builder.call(append, arguments, 1)
    return (out,)


def attended(
    step: Step, builder: Builder, query: Value, key: Value, value: Value, mask: Value | None = None
) -> tuple[Array, ...] | None:
    """Attention over keys whose number is not known yet."""
    op, fact = step.node.op, step.facts[0]
    assert isinstance(op, FusedAttention)
    if isinstance(query, Late) or not is_f32(query) or query.ndim != 4 or not fact.shape.is_static or op.key_transposed:
        return None
    if op.causal or op.precision is not F32 or not all(_is_attendable(x) for x in (key, value)):
        return None
    (batch, heads, queries, depth), width = query.shape, fact.shape.static[-1]
    if fact.shape.static != (batch, heads, queries, width) or width % LANES or not width or not depth:
        return None
    if query.strides[-1] != 4:
        whole = contiguous(builder, query)
        if whole is None:
            return None
        query = whole
    mask = None if mask is None else _summand(step, builder, mask)
    if mask is not None and not _is_f32(mask):
        return None
    out = builder.empty((batch, queries, heads, width)).swapaxes(1, 2)
    each = min(queries, _MOST_QUERIES)
    tables: dict[str, Sequence[int]] = {}
    rows = {name: _row(name, x, builder, tables) for name, x in (("key", key), ("value", value), ("mask", mask))}
    builder.call(
        cached_attention,
        CachedAttention(
            query=matrices_of(builder, query),
            **rows,
            out=matrices_of(builder, out),
            heads=heads,
            shared=op.shared,
            queries=queries,
            depth=depth,
            width=width,
            queries_per_task=each,
            scale=op.scale if op.scale is not None else depth**-0.5,
        ),
        batch * heads * -(-queries // each),
        workspace_of(each, depth),
        tables,
        functools.partial(_fits, query.shape, (batch, heads // op.shared), width, key, value, mask),
    )
    return (out,)


def _fits(
    queries: tuple[int, ...],
    heads: tuple[int, int],
    width: int,
    key: Value,
    value: Value,
    mask: Value | None,
    lates: Sequence[Any],
) -> bool:
    """Return whether keys, values and mask have the shapes that the queries need."""
    first, second = (lates[x.number] if isinstance(x, Late) else x for x in (key, value))
    shape = first.shape
    if len(shape) != 4 or (*shape[:2], shape[3]) != (*heads, queries[3]) or second.shape != (*shape[:3], width):
        return False
    if first.strides[3] != 4 or second.strides[3] != 4:
        return False
    if mask is None:
        return True
    sizes = (lates[mask.number] if isinstance(mask, Late) else mask).shape
    if len(sizes) > 4:
        return False
    wanted = (*queries[:3], shape[2])[4 - len(sizes) :]
    return all(size in (1, need) for size, need in zip(sizes, wanted, strict=True))


def _summand(step: Step, builder: Builder, mask: Value) -> Value:
    """A mask of booleans as what is added to scores, once for all layers; another mask as it is."""
    fact = mask.fact if isinstance(mask, Late) else Fact(BOOLEAN, Shape(mask.shape))
    if id(mask) in builder.pending or fact.type is not BOOLEAN or (not isinstance(mask, Late) and mask.dtype != bool):
        return mask
    found = builder.summands.get(id(mask))
    if found is None:
        found = builder.summands[id(mask)] = builder.value(Fact(F32, fact.shape))
        convert = step._replace(run=_as_summand, types=(F32,), asks=())
        builder.prelude.append(Interpreted(convert, (mask,), (found,)))
    return found


def _as_summand(mask: Array) -> Array:
    return np.where(mask, np.float32(0), np.float32(-np.inf))


def _is_f32(x: Value) -> bool:
    return x.fact.type is F32 and x.fact.rank is not None and x.fact.rank <= 4 if isinstance(x, Late) else is_f32(x)


def _is_attendable(x: Value) -> bool:
    """Return whether the elements of a key are provably contiguous."""
    if isinstance(x, Late):
        return _is_f32(x) and x.fact.rank == 4
    return is_f32(x) and x.ndim == 4 and x.strides[-1] == 4


def _row(name: str, x: Value | None, builder: Builder, tables: dict[str, Sequence[int]]) -> int:
    """Return the address of the row of a late array; make a row for any other array."""
    if x is None:
        return 0
    if isinstance(x, Late):
        return builder.address(x.row)
    tables[name] = [builder.address(x), *late_row(x)]
    return 0


def late_row(x: Array) -> tuple[int, ...]:
    """Sizes and strides as kernels read them, of an array with up to four axes."""
    if x.ndim == 4:
        (a, b, c, d), (p, q, r, s) = x.shape, x.strides
        return a, b, c, d, p if a != 1 else 0, q if b != 1 else 0, r if c != 1 else 0, s if d != 1 else 0
    front = 4 - x.ndim
    strides = [0 if size == 1 else stride for size, stride in zip(x.shape, x.strides, strict=True)]
    return (*(1,) * front, *x.shape, *(0,) * front, *strides)


LATE_LOWERINGS: Final[dict[type[Op], Lowering]] = {
    FusedAppend: appended,
    Concat: joined,
    FusedConcat: joined,
    FusedAttention: attended,
}
"""``lowering(step, builder, *inputs)``, for steps with late arrays among their inputs or outputs."""
