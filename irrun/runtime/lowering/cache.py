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
from irrun.runtime.lowering.attention import arguments_of, form_of
from irrun.runtime.lowering.builder import Builder, Interpreted, Late, Lowering, Value, is_f32
from irrun.runtime.lowering.copies import contiguous
from irrun.runtime.lowering.stacks import matrices_of
from irrun.runtime.plan import Step
from irrun.tensor import Array
from irrun.tensor.element_type import F32
from irrun_kernels.attention import KEYS
from irrun_kernels.cache import Append, CachedAttention, append, cached_attention
from irrun_kernels.scores import Heads


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
    step: Step,
    builder: Builder,
    query: Value,
    key: Value,
    value: Value,
    mask: Value | None = None,
    *others: Value | None,
) -> tuple[Array, ...] | None:
    """Attention over keys whose number is not known yet."""
    op, fact = step.node.op, step.facts[0]
    assert isinstance(op, FusedAttention)
    if isinstance(query, Late) or not is_f32(query) or query.ndim != 4 or not fact.shape.is_static or op.key_transposed:
        return None
    if op.causal or op.precision is not F32 or any(other is not None for other in others):
        return None
    if any(_dtype(x) != np.float32 for x in (key, value)):
        return None
    if mask is not None and _dtype(mask) not in (np.float32, np.bool_):
        return None
    (batch, heads, queries, _), width = query.shape, fact.shape.static[-1]
    if fact.shape.static != (batch, heads, queries, width):
        return None
    out = builder.empty((batch, queries, heads, width)).swapaxes(1, 2)
    plain, parts, workspace = arguments_of(op, builder, query, out, op.shared, KEYS)
    rows = [builder.address(x.row) if isinstance(x, Late) else 0 for x in (key, value, mask)]
    arrays = [
        Heads() if x is None or isinstance(x, Late) else Heads(builder.address(x), 0, *late_row(x)[4:])
        for x in (key, value, mask)
    ]
    plain = plain._replace(
        key=arrays[0],
        value=arrays[1],
        mask=arrays[2],
        mask_form=form_of(op, None if mask is None else _dtype(mask)),
        keys=0 if isinstance(key, Late) else key.shape[-2],
    )
    builder.call(
        cached_attention,
        CachedAttention(plain, *rows),
        batch * plain.groups * parts,
        workspace,
        fits=functools.partial(_fits, query.shape, (batch, plain.groups), width, key, value, mask),
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
    if mask is None:
        return True
    sizes = (lates[mask.number] if isinstance(mask, Late) else mask).shape
    if len(sizes) > 4:
        return False
    wanted = (*queries[:3], shape[2])[4 - len(sizes) :]
    return all(size in (1, need) for size, need in zip(sizes, wanted, strict=True))


def _dtype(x: Value) -> np.dtype[Any] | None:
    """Return the type of an array; None if its number of axes is unknown, or above four."""
    if isinstance(x, Late):
        return x.fact.type.dtype if x.fact.rank is not None and x.fact.rank <= 4 else None
    return x.dtype if x.ndim <= 4 else None


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
