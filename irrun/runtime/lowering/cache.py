"""Variables that grow in place."""

from __future__ import annotations

from irrun.ops.context import Variables
from irrun.ops.fused.fused_append import FusedAppend
from irrun.runtime.lowering.builder import Builder, Unsupported, is_f32, lowers
from irrun.runtime.lowering.copies import copied
from irrun.runtime.view import Operand, View
from irrun.tensor import Array


@lowers(FusedAppend)
def appended(
    op: FusedAppend, builder: Builder, new: View, init: Operand | None = None, order: Operand | None = None
) -> View:
    """The value of a variable, extended: the prelude makes room, a call writes ``new`` behind what there was."""
    if not is_f32(new):
        raise Unsupported(f"a variable of {new.dtype}")

    def extended(shape: Array, init: Array | None, order: Array | None, *, state: Variables) -> Array:
        return op.extended(tuple(shape.tolist()), init, order, state)

    (out,) = builder.early(extended, (builder.numbers(new.shape), init, order))
    behind = out.shape[op.axis] - new.shape[op.axis]
    if not copied(builder, new, out[(slice(None),) * op.axis + (slice(behind, None),)]):
        raise Unsupported(f"the memory order of the {new.ndim} axes of the new part")
    return out
