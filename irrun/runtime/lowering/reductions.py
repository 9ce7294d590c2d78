"""Reductions along any axes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from irrun.ops._declared.reduction.base import Reduction
from irrun.ops._declared.reduction.reduce_l1 import ReduceL1
from irrun.ops._declared.reduction.reduce_l2 import ReduceL2
from irrun.ops._declared.reduction.reduce_logical_and import ReduceLogicalAnd
from irrun.ops._declared.reduction.reduce_logical_or import ReduceLogicalOr
from irrun.ops._declared.reduction.reduce_max import ReduceMax
from irrun.ops._declared.reduction.reduce_mean import ReduceMean
from irrun.ops._declared.reduction.reduce_min import ReduceMin
from irrun.ops._declared.reduction.reduce_prod import ReduceProd
from irrun.ops._declared.reduction.reduce_sum import ReduceSum
from irrun.runtime.lowering.builder import Builder, Unsupported, integers, lowers
from irrun.runtime.lowering.chains import Expression, emit_type
from irrun.runtime.lowering.elementwise import as_type
from irrun.runtime.symbolic import Number, largest
from irrun.runtime.view import Operand, View

_FUNCTIONS = {
    ReduceSum: "add",
    ReduceMean: "add",
    ReduceL1: "add",
    ReduceL2: "add",
    ReduceProd: "multiply",
    ReduceMax: "maximum",
    ReduceMin: "minimum",
    ReduceLogicalAnd: "bitwise_and",
    ReduceLogicalOr: "bitwise_or",
}


@lowers(*_FUNCTIONS, numbers=(1,))
def lower_reduction(op: Reduction, builder: Builder, data: Operand, axes: Operand) -> View:
    """Elements along some axes, combined by a function of two of them."""
    given, rank = integers(axes, "an axis"), max(data.ndim, 1)
    if not given:
        return builder.view(data)
    along = sorted({int(axis) % rank for axis in given})
    if len(along) != len(given) or not all(-rank <= axis < rank for axis in given):
        raise Unsupported("an axis that is outside of the tensor, or given twice")
    x = data if data.ndim else data.reshape(1)
    kind = type(op)
    e = Expression(builder)
    value = e.computed(e.read(x))
    if kind is ReduceL1:
        value = e("abs", value) if value.kind != "Q" else value
    elif kind is ReduceL2:
        value = value if value.kind in "fd" else e("to_d", value)
        value = e("multiply", value, value)
    count = math.prod(x.shape[axis] for axis in along)
    total = e.emit_fold(_FUNCTIONS[kind], value, along, _start(op, data.dtype, count))
    if kind is ReduceMean:
        total = _emit_mean(builder, total, data.dtype, count)
    elif kind is ReduceL2:
        e = Expression(builder)
        root = e("sqrt", e.read(total))
        total = e.emit(root if data.dtype.kind == "f" else as_type(e, root, data.dtype), data.dtype)
    total = emit_type(builder, total, data.dtype)
    if op.keep_dims and data.ndim:
        return total
    return total[tuple(0 if axis in along else slice(None) for axis in range(x.ndim))]


def _start(op: Reduction, dtype: np.dtype[Any], count: Number) -> Any:
    """The number that a reduction of ``count`` elements begins with: the result if there are none."""
    if isinstance(op, ReduceMax | ReduceMin):
        is_least = isinstance(op, ReduceMax)
        if dtype.kind == "f" and count != 0:
            return -np.inf if is_least else np.inf
        limits: Any = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
        return limits.min if is_least else limits.max
    return int(isinstance(op, ReduceProd | ReduceLogicalAnd))


def _emit_mean(builder: Builder, total: View, dtype: np.dtype[Any], count: Number) -> View:
    """Sums divided by a number; the quotient of integers is truncated."""
    e = Expression(builder)
    divisor = e.number(largest(count, 1), total.dtype.char)
    name = "truncated_divide" if total.dtype.kind == "i" else "divide"
    return e.emit(e(name, e.read(total), divisor), dtype)
