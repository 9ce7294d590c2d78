"""Arrays in other shapes: views where there are any, otherwise copies."""

from __future__ import annotations

import math
from collections.abc import Sequence

from irrun.ops._declared.fused.fused_views import FusedView
from irrun.ops._declared.shape.reshape import Reshape
from irrun.ops._declared.shape.squeeze import SqueezeV1, SqueezeV15
from irrun.ops._declared.shape.unsqueeze import Unsqueeze
from irrun.runtime.lowering.builder import Builder, Unsupported, integers, lowers
from irrun.runtime.lowering.copies import emit_contiguous, emit_copy
from irrun.runtime.symbolic import Number, SymInt, is_found, is_same
from irrun.runtime.view import Operand, View


@lowers(FusedView)
def lower_view(op: FusedView, builder: Builder, data: Operand) -> View:
    """An array in another known shape, or with its axes in another order."""
    return builder.view(data).transpose(op.order) if op.shape is None else emit_reshape(builder, data, op.shape)


@lowers(Reshape, numbers=(1,))
def lower_reshape(op: Reshape, builder: Builder, data: Operand, pattern: Operand) -> View:
    """An array in the shape of a pattern, in which 0 copies a size and -1 is the rest."""
    sizes = integers(pattern, "the shape")
    if op.special_zero:
        if not all(map(_is_safe, sizes, (*data.shape, *[1] * len(sizes)))):
            raise Unsupported("a size that is computed may be 0, which copies one")
        sizes = [data.shape[axis] if is_same(size, 0) else size for axis, size in enumerate(sizes)]
    return emit_reshape(builder, data, sizes)


@lowers(SqueezeV1, SqueezeV15)
def lower_squeeze(_op: SqueezeV1 | SqueezeV15, builder: Builder, data: Operand, axes: Operand | None = None) -> View:
    """An array without some axes of size 1."""
    along = set() if axes is None else {int(axis) % data.ndim for axis in integers(axes, "an axis")}
    kept = [size for axis, size in enumerate(data.shape) if (along and axis not in along) or size != 1]
    return emit_reshape(builder, data, kept)


@lowers(Unsqueeze)
def lower_unsqueeze(_op: Unsqueeze, builder: Builder, data: Operand, axes: Operand) -> View:
    """An array with more axes of size 1."""
    where = integers(axes, "an axis")
    rank = data.ndim + len(where)
    new = {int(axis) % rank for axis in where}
    if len(new) != len(where):
        raise Unsupported("an axis that is given twice")
    rest = iter(data.shape)
    return emit_reshape(builder, data, [1 if axis in new else next(rest) for axis in range(rank)])


def emit_reshape(builder: Builder, data: Operand, shape: Sequence[Number]) -> View:
    """A view of another shape, or of a copy; one of four axes keeps channels that are neighbours so."""
    if not any(is_same(size, -1) for size in shape) and math.prod(shape) != data.size:
        raise Unsupported(f"{data.size} elements do not fit shape {list(shape)}")
    found = builder.view(data).viewed(shape)
    if found is not None:
        return found
    if data.strides[-1] != data.itemsize and len(shape) == 4 and math.prod(shape) == data.size:
        out = builder.images(shape, data.dtype)
        target = out.viewed(data.shape)
        if target is not None:
            emit_copy(builder, data, target)
            return out
    return emit_contiguous(builder, data).reshape(tuple(shape))


def _is_safe(size: Number, copied: Number) -> bool:
    """Return whether a size of a pattern is not 0, or only where the size that 0 copies is 0, too."""
    if is_found(size) and isinstance(copied, SymInt) and (copied * size.terms[0][1]).quotient(size) is not None:
        return True
    return isinstance(size, int) or size > 0
