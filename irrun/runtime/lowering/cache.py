"""Variables: read and written before the calls, which compute their elements."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from irrun.ops._declared.fused.fused_append import FusedAppend
from irrun.ops._declared.infrastructure.assign import Assign3, Assign6
from irrun.ops._declared.infrastructure.read_value import ReadValue3, ReadValue6
from irrun.ops.context import Variables
from irrun.runtime.lowering.builder import Builder, Unsupported, lowers, require_f32
from irrun.runtime.lowering.copies import emit_copy
from irrun.runtime.symbolic import Number
from irrun.runtime.view import Operand, View
from irrun.tensor import UNBOUNDED, Array


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
