"""The indices of elements that are not zero, whose number is known when they have been found."""

from __future__ import annotations

import numpy as np

from irrun.ops._declared.condition.non_zero import NonZero
from irrun.runtime.lowering.builder import I64, Builder, Unsupported, lowers
from irrun.runtime.lowering.chains import Expression
from irrun.runtime.lowering.copies import emit_contiguous
from irrun.runtime.view import Operand, View
from irrun_kernels import nonzero
from irrun_kernels.axes import AXES
from irrun_kernels.elements import KINDS


@lowers(NonZero)
def lower_nonzero(op: NonZero, builder: Builder, data: Operand) -> View:
    """Indices for all elements, of which only those that were found are used."""
    if not 0 < data.ndim <= AXES:
        raise Unsupported(f"a tensor of {data.ndim} axes")
    truths = _emit_truths(builder, data)
    out = builder.empty((data.ndim, data.size), np.dtype(op.output_type.replace("i", "int")))
    found = builder.empty((1,), I64)
    builder.call(
        nonzero.find_nonzero,
        nonzero.NonZero(
            x=builder.address(truths),
            out=builder.address(out),
            found=builder.address(found),
            size=(*(1,) * (AXES - data.ndim), *data.shape),
            rank=data.ndim,
            elements=data.size,
            kind=KINDS.index(out.dtype.name),
        ),
        1,
    )
    return builder.counted(out, found)


def _emit_truths(builder: Builder, data: Operand) -> View:
    """The flags of elements that differ from zero, in row-major order."""
    if data.dtype == np.bool_:
        return emit_contiguous(builder, data)
    e = Expression(builder)
    x = e.computed(e.read(data))
    return e.emit_into(e("not_equal", x, e.number(0, x.kind)), builder.empty(data.shape, np.dtype(np.bool_)))
