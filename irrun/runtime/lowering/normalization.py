"""Normalization by means and variances, or by norms, along any axes, and softmax."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from irrun.ops._declared.activation.log_softmax import LogSoftmax
from irrun.ops._declared.activation.softmax import SoftMaxV1, SoftMaxV8
from irrun.ops._declared.fused.fused_functions import FusedLayerNorm
from irrun.ops._declared.normalization.group_normalization import GroupNormalization
from irrun.ops._declared.normalization.mvn import MVNV2, MVNV6
from irrun.ops._declared.normalization.normalize_l2 import NormalizeL2
from irrun.ops._declared.reduction.base import reduced_axes
from irrun.runtime.lowering.builder import F32, Builder, Unsupported, lowers, memory_order, require_f32, share
from irrun.runtime.lowering.chains import ChainValue, Expression
from irrun.runtime.lowering.copies import emit_contiguous
from irrun.runtime.symbolic import is_found
from irrun.runtime.view import Operand, View
from irrun_kernels.rows import LayerNorm, Softmax, layer_norm, softmax

_Root = Callable[[Expression, ChainValue, ChainValue], ChainValue]
"""The divisor of a mean or sum of squares and eps."""


class _Form(NamedTuple):
    """The way numbers are normalized: along ``axes``, then along the ``members`` of groups of lines.

    They are divided by a ``root`` of the mean of squares, or of the sum for those that are not ``centred``.
    """

    axes: Sequence[int]
    eps: float
    root: _Root | None
    centred: bool = True
    members: Sequence[int] = ()


def _root_of_sum(e: Expression, square: ChainValue, eps: ChainValue) -> ChainValue:
    return e("sqrt", e("add", square, eps))


def _sum_of_root(e: Expression, square: ChainValue, eps: ChainValue) -> ChainValue:
    return e("add", e("sqrt", square), eps)


def _root_of_largest(e: Expression, square: ChainValue, eps: ChainValue) -> ChainValue:
    return e("sqrt", e("maximum", square, eps))


@lowers(GroupNormalization)
def lower_group_normalization(
    op: GroupNormalization, builder: Builder, data: Operand, scale: Operand, bias: Operand
) -> View:
    """Groups of channels by their mean and variance."""
    channels, *sizes = data.shape[1:]
    rows = (op.num_groups, channels // op.num_groups)
    if not all(channels == size for size in (math.prod(rows), scale.shape[0], bias.shape[0])):
        raise Unsupported("numbers of channels that differ, or are no multiple of the number of groups")
    x = builder.view(data).reshape(data.shape[0], *rows, *sizes)
    gamma, beta = (builder.view(row).reshape(1, *rows, *(1,) * len(sizes)) for row in (scale, bias))
    axes, members = (range(3, x.ndim), (2,)) if sizes else ((2,), ())
    form = _Form(axes, op.epsilon, _root_of_sum, members=members)
    return _emit_normalized(builder, x, form, gamma, beta).reshape(*data.shape)


@lowers(MVNV2)
def lower_mvn_2(op: MVNV2, builder: Builder, data: Operand) -> View:
    """Samples or channels by their mean and variance."""
    root = _root_of_sum if op.normalize_variance else None
    return _emit_normalized(builder, data, _Form(op.axes_of(data.ndim), op.eps, root))


@lowers(MVNV6, numbers=(1,))
def lower_mvn(op: MVNV6, builder: Builder, data: Operand, axes: Operand) -> View:
    """Any axes by their mean and variance."""
    if not builder.is_constant(axes):
        raise Unsupported("axes that depend on values")
    root = _sum_of_root if op.eps_mode == "outside_sqrt" else _root_of_sum
    form = _Form(reduced_axes(axes, data.ndim), op.eps, root if op.normalize_variance else None)
    return _emit_normalized(builder, data, form)


@lowers(NormalizeL2, numbers=(1,))
def lower_normalize_l2(op: NormalizeL2, builder: Builder, data: Operand, axes: Operand) -> View:
    """Any axes by their norm."""
    if not builder.is_constant(axes):
        raise Unsupported("axes that depend on values")
    root = _root_of_largest if op.eps_mode == "max" else _root_of_sum
    form = _Form(reduced_axes(axes, data.ndim), op.eps, root, centred=False)
    return _emit_normalized(builder, data, form)


def _emit_normalized(
    builder: Builder, x: Operand, form: _Form, gamma: View | None = None, beta: View | None = None
) -> View:
    """Elements by the moments of their groups; ``gamma`` and ``beta`` broadcast to them."""
    require_f32(x, gamma, beta)
    if not form.axes:
        raise Unsupported("no axes")
    lines = [1 if axis in form.axes else size for axis, size in enumerate(x.shape)]
    count = math.prod(x.shape[axis] for axis in (*form.axes, *form.members))
    means = factors = None
    if form.centred:
        e = Expression(builder)
        total = _emit_total(e, e("to_d", e.read(x)), form)
        e = Expression(builder)
        mean = e("divide", e.read(total), e.number(count, "d"))
        means = e.emit_into(e("to_f", mean), builder.empty(lines))
    if form.root is not None:
        e = Expression(builder)
        distance = e.read(x) if means is None else e("subtract", e.read(x), e.read(means))
        total = _emit_total(e, e("multiply", distance, distance), form)
        e = Expression(builder)
        square = e("divide", e.read(total), e.number(count, "f")) if form.centred else e.read(total)
        over = e.number(1, "f") if gamma is None else e.read(gamma)
        factor = e("divide", over, form.root(e, square, e.number(form.eps, "f")))
        factors = e.emit_into(factor, builder.empty(lines))
    e = Expression(builder)
    result = e.read(x)
    for name, operand in (("subtract", means), ("multiply", factors), ("add", beta)):
        result = result if operand is None else e(name, result, e.read(operand))
    return e.emit(result, F32)


def _emit_total(e: Expression, value: ChainValue, form: _Form) -> View:
    """Sums along lines, then along the members of groups."""
    total = e.emit_fold("add", value, form.axes, 0)
    if not form.members:
        return total
    e = Expression(e.builder)
    return e.emit_fold("add", e.read(total), form.members, 0)


@lowers(FusedLayerNorm)
def lower_layer_norm(op: FusedLayerNorm, builder: Builder, data: Operand) -> View:
    """Rows by their mean and variance."""
    _require_rows(data, -1)
    whole = emit_contiguous(builder, data)
    columns = data.shape[-1]
    out = builder.empty(data.shape)
    rows = data.size // columns
    each, tasks = share(rows, 0.5 * data.size)
    builder.call(
        layer_norm,
        LayerNorm(
            builder.address(whole),
            builder.address(out),
            builder.constant(None if op.gamma is None else np.broadcast_to(op.gamma, (columns,))),
            builder.constant(None if op.beta is None else np.broadcast_to(op.beta, (columns,))),
            rows,
            columns,
            each,
            op.eps,
            int(op.eps_outside),
            int(op.centred),
        ),
        tasks,
    )
    return out


@lowers(SoftMaxV1, SoftMaxV8, LogSoftmax)
def lower_softmax(op: SoftMaxV1 | SoftMaxV8 | LogSoftmax, builder: Builder, data: Operand) -> View:
    """Rows of exponentials, divided by their sums, or their logarithms."""
    if data.ndim == 0:
        raise Unsupported("a scalar")
    axis = op.axis % data.ndim
    _require_rows(data, axis)
    order = [other for other in memory_order(data) if other != axis] + [axis]
    whole = emit_contiguous(builder, data.transpose(order))
    columns = data.shape[axis]
    out = builder.empty(whole.shape)
    rows = data.size // columns
    each, tasks = share(rows, 1.0 * data.size + 50 * rows)
    is_log = int(isinstance(op, LogSoftmax))
    builder.call(softmax, Softmax(builder.address(whole), builder.address(out), rows, columns, each, is_log), tasks)
    return out.transpose(np.argsort(order).tolist())


def _require_rows(data: Operand, axis: int) -> None:
    """Raise Unsupported unless an array has rows of f32 that are not empty; if calls find them, there may be none."""
    require_f32(data, may_be_found=not is_found(data.shape[axis]))
