"""Attention, and what language models keep for it: rotated positions, and variables that grow."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

import numpy as np

from irrun.ops._declared.fused.fused_append import FusedAppend
from irrun.ops._declared.fused.fused_attention import FusedAttention
from irrun.ops._declared.fused.fused_functions import FusedRotary
from irrun.ops._declared.infrastructure.assign import Assign3, Assign6
from irrun.ops._declared.infrastructure.read_value import ReadValue3, ReadValue6
from irrun.ops.context import Variables
from irrun.runtime.lowering.builder import F32, Builder, Unsupported, broadcast_shape, lowers, require_f32, share
from irrun.runtime.lowering.chains import Expression
from irrun.runtime.lowering.copies import emit_copy
from irrun.runtime.lowering.stacks import matrices_of
from irrun.runtime.symbolic import Number, of_sizes
from irrun.runtime.view import Operand, View
from irrun.tensor import UNBOUNDED, Array
from irrun.tensor.element_type import BF16, F16
from irrun_kernels.attention import KEYS, Attention, attention, workspace_of
from irrun_kernels.host import LANES
from irrun_kernels.scores import ADDED, FILLED, KEPT, SEEN


@lowers(FusedAttention)
def lower_attention(
    op: FusedAttention,
    builder: Builder,
    query: Operand,
    key: Operand,
    value: Operand,
    mask: Operand | None = None,
    bias: Operand | None = None,
    scale: Operand | None = None,
    sink: Operand | None = None,
) -> View:
    """Attention, head by head."""
    precision = op.precision_of(query.shape[-2])
    if precision is F16 or query.ndim not in (3, 4, 5):
        raise Unsupported(f"{precision} and {query.ndim} axes")
    if any(x is not None and x.dtype != F32 for x in (query, key, value, bias, scale, sink)):
        raise Unsupported("operands other than f32")
    if mask is not None and mask.dtype not in (F32, np.bool_):
        raise Unsupported("a mask of other elements than f32 and booleans")
    if op.key_transposed:
        key = key.swapaxes(-1, -2)
    (queries, depth), (keys, width) = query.shape[-2:], value.shape[-2:]
    if key.shape[-2] != keys or key.shape[-1] != depth:
        raise Unsupported(f"keys [{key.shape[-2]}, {key.shape[-1]}] for {keys} values and queries of {depth}")
    shared = query.shape[-3] if key.shape[-3] == 1 and value.shape[-3] == 1 else op.shared
    added = [x for x in (mask, bias, sink) if x is not None]
    outer, batch = (1, 1, *broadcast_shape(*(x.shape[:-3] for x in (query, key, value, *added))))[-2:]
    # Heads of queries that share keys count for one here.
    (groups,) = broadcast_shape((query.shape[-3] // shared,), key.shape[-3:-2], value.shape[-3:-2])
    lead, products, heads = (outer, batch), outer * batch * groups, groups * shared
    out = builder.empty((*lead, queries, heads, width)).swapaxes(2, 3)
    bf16 = int(precision is BF16)
    parts, block, workspace = _cut(products, queries * shared, keys, depth, width, bf16=bf16)
    arguments = Attention(
        query=matrices_of(builder, query, (*lead, heads, queries, depth)),
        key=matrices_of(builder, key, (*lead, groups, keys, depth)),
        value=matrices_of(builder, value, (*lead, groups, keys, width)),
        mask=matrices_of(builder, mask, (*lead, heads, queries, keys)),
        bias=matrices_of(builder, bias, (*lead, heads, queries, keys)),
        sink=matrices_of(builder, sink, (*lead, heads, queries, 1)),
        factor=builder.address(scale),
        out=matrices_of(builder, out, out.shape),
        mask_form=form_of(op, None if mask is None else mask.dtype),
        stacks=batch,
        groups=groups,
        shared=shared,
        queries=queries,
        keys=keys,
        depth=depth,
        width=width,
        block=block,
        parts=parts,
        causal=int(op.causal),
        guarded=int(op.guarded),
        bf16=bf16,
        scale=op.scale_of(depth),
        cap=op.cap,
        filling=op.filling or 0.0,
    )
    builder.call(attention, arguments, products * parts, workspace)
    return out.reshape(out.shape[5 - query.ndim :])


def form_of(op: FusedAttention, mask: np.dtype[Any] | None) -> int:
    """The form of a mask of this type."""
    if mask != np.bool_:
        return ADDED
    return SEEN if op.filling is None else FILLED if op.inverted else KEPT


@of_sizes
def _cut(products: int, rows: int, keys: int, depth: int, width: int, *, bf16: int) -> tuple[int, int, int]:
    """The parts of a group of heads, the keys of a block, and the bytes of workspace."""
    blocks = 1 if bf16 else max(1, -(-keys // KEYS))
    block = max(1, -(-keys // (blocks * LANES))) * LANES
    most = min(-(-_TASKS // max(1, products)), max(1, rows // _LEAST_ROWS, min(rows, 2)))
    _, parts = share(most, (0.015 * rows + 0.1) * keys * depth)
    return parts, block, workspace_of(-(-rows // parts), depth, width, block)


_TASKS: Final = 8
_LEAST_ROWS: Final = 16
"""Tasks of a call, and rows of a task, as far as there is enough work."""


_SIGNS: Final = np.array([[-1.0], [1.0]], np.float32)


@lowers(FusedRotary)
def lower_rotary(_op: FusedRotary, builder: Builder, x: Operand, cos: Operand, sin: Operand) -> View:
    """A sum of products in one call."""
    require_f32(x, cos, sin)
    halves = [array.reshape(*array.shape[:-1], 2, array.shape[-1] // 2) for array in map(builder.view, (x, cos, sin))]
    e = Expression(builder)
    straight, cosine, sine = map(e.read, halves)
    turned = e("multiply", e.read(halves[0][..., ::-1, :]), e.read(_SIGNS))
    made = e.emit(e("add", e("multiply", straight, cosine), e("multiply", turned, sine)), x.dtype)
    return made.reshape(*made.shape[:-2], made.shape[-2] * made.shape[-1])


@lowers(FusedAppend)
def lower_append(
    op: FusedAppend, builder: Builder, new: View, init: Operand | None = None, order: Operand | None = None
) -> View:
    """The value of a variable, extended: the prelude makes room, a call writes ``new`` behind what there was."""
    require_f32(new)

    def extended(shape: Array, init: Array | None, order: Array | None, *, state: Variables) -> Array:
        whole = op.extended(tuple(shape.tolist()), init, order, state)
        state.write(op.read.variable_id, whole)
        return whole

    (out,) = builder.early(extended, (builder.numbers(new.shape), init, order))
    builder.written[op.read.variable_id] = out
    behind = out.shape[op.axis] - new.shape[op.axis]
    emit_copy(builder, new, out[(slice(None),) * op.axis + (slice(behind, None),)])
    return out


@lowers(ReadValue3, ReadValue6)
def lower_read_value(op: ReadValue3 | ReadValue6, builder: Builder, init: Operand | None = None) -> Operand:
    """The array that a variable holds, or an initial value that calls compute: that is for runs that find none."""
    with suppress(Unsupported):
        (out,) = builder.early(None, (init,))
        return out
    if init is None or not _fits(op, init.shape):
        raise Unsupported("a variable that does not have the shape of its initial value")
    builder.fresh.add(op.variable_id)
    return init


def _fits(op: ReadValue3 | ReadValue6, shape: Sequence[Number]) -> bool:
    """Return whether a variable may have a shape."""
    dims = op.variable_shape.dims if isinstance(op, ReadValue6) else None
    pairs = [] if dims is None else zip(dims, shape, strict=True)
    return all(dim.lo <= size and (dim.hi == UNBOUNDED or size <= dim.hi) for dim, size in pairs)


@lowers(Assign3, Assign6)
def lower_assign(op: Assign3 | Assign6, builder: Builder, new: Operand) -> Operand:
    """Let a variable hold an array: one of the prelude, or a new one, to which a call copies."""
    if builder.written.get(op.variable_id) is new:
        return new
    with suppress(Unsupported):
        builder.early(None, (new,))
        return new

    def written(shape: Array, *, state: Variables) -> Array:
        array = np.empty(shape.tolist(), new.dtype)
        state.write(op.variable_id, array)
        return array

    (out,) = builder.early(written, (builder.numbers(new.shape),))
    emit_copy(builder, new, out)
    return new
