"""Reductions along any axes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from irrun.ops._declared.reduction.base import Reduction
from irrun.runtime.lowering.builder import Builder, Unsupported, integers, lowers
from irrun.runtime.lowering.chains import Expression, emit_type
from irrun.runtime.lowering.elementwise import as_type
from irrun.runtime.symbolic import Number, largest
from irrun.runtime.view import Operand, View

_FUNCTIONS = {
    **dict.fromkeys(("ReduceSum", "ReduceMean", "ReduceL1", "ReduceL2"), "add"),
    "ReduceProd": "multiply",
    "ReduceMax": "maximum",
    "ReduceMin": "minimum",
    "ReduceLogicalAnd": "bitwise_and",
    "ReduceLogicalOr": "bitwise_or",
}


@lowers(*map(str.lower, _FUNCTIONS), numbers=(1,))
def lower_reduction(op: Reduction, builder: Builder, data: Operand, axes: Operand) -> View:
    """Elements along some axes, combined by a function of two of them."""
    given, rank = integers(axes, "an axis"), max(data.ndim, 1)
    if not given:
        return builder.view(data)
    along = sorted({int(axis) % rank for axis in given})
    if len(along) != len(given) or not all(-rank <= axis < rank for axis in given):
        raise Unsupported("an axis that is outside of the tensor, or given twice")
    x = data if data.ndim else data.reshape(1)
    e = Expression(builder)
    value = e.computed(e.read(x))
    if op.type == "ReduceL1":
        value = e("abs", value) if value.kind != "Q" else value
    elif op.type == "ReduceL2":
        value = value if value.kind in "fd" else e("to_d", value)
        value = e("multiply", value, value)
    count, function = math.prod(x.shape[axis] for axis in along), _FUNCTIONS[op.type]
    total = e.emit_fold(function, value, along, _start(function, data.dtype, count))
    e = Expression(builder)
    result = e.read(total)
    if op.type == "ReduceMean":
        # The quotient of integers is truncated.
        name = "truncated_divide" if total.dtype.kind == "i" else "divide"
        total = e.emit(e(name, result, e.number(largest(count, 1), total.dtype.char)), data.dtype)
    elif op.type == "ReduceL2":
        root = e("sqrt", result)
        total = e.emit(root if data.dtype.kind == "f" else as_type(e, root, data.dtype), data.dtype)
    total = emit_type(builder, total, data.dtype)
    if op.keep_dims and data.ndim:
        return total
    return total[tuple(0 if axis in along else slice(None) for axis in range(x.ndim))]


def _start(function: str, dtype: np.dtype[Any], count: Number) -> Any:
    """The number that a reduction of ``count`` elements begins with: the result if there are none."""
    if function in ("maximum", "minimum"):
        is_least = function == "maximum"
        if dtype.kind == "f" and count != 0:
            return -np.inf if is_least else np.inf
        limits: Any = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
        return limits.min if is_least else limits.max
    return int(function in ("multiply", "bitwise_and"))
