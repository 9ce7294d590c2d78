"""Normalization by means and variances, or by norms, along any axes, and softmax."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from irrun.ops._declared.activation.log_softmax import LogSoftmax
from irrun.ops._declared.activation.softmax import SoftMaxV1, SoftMaxV8
from irrun.ops._declared.fused.fused_layer_norm import FusedLayerNorm
from irrun.ops._declared.normalization.group_normalization import GroupNormalization
from irrun.ops._declared.normalization.mvn import MVNV2, MVNV6
from irrun.ops._declared.normalization.normalize_l2 import NormalizeL2
from irrun.ops._declared.reduction.base import reduced_axes
from irrun.runtime.lowering.builder import (
    F32,
    Builder,
    Unsupported,
    lowers,
    memory_order,
    require_f32,
    share,
)
from irrun.runtime.lowering.chains import Expression
from irrun.runtime.lowering.copies import emit_contiguous
from irrun.runtime.symbolic import Number, is_found, of_sizes
from irrun.runtime.view import Operand, View
from irrun_kernels.moments import ABSENT, INSIDE, LEAST, OUTSIDE, Moments, Normalization, factors, moments
from irrun_kernels.rows import LayerNorm, Softmax, layer_norm, softmax


class _Form(NamedTuple):
    """The way numbers are normalized: along ``axes``, for groups of ``members`` channels.

    Those that are not ``centred`` are divided by the root of the sum of squares.
    """

    axes: Sequence[int]
    eps: float
    mode: int = INSIDE
    centred: bool = True
    members: Number = 1


@lowers(GroupNormalization)
def lower_group_normalization(
    op: GroupNormalization, builder: Builder, data: Operand, scale: Operand, bias: Operand
) -> View:
    """Groups of channels by their mean and variance."""
    members = data.shape[1] // op.num_groups
    form = _Form(range(2, data.ndim), op.epsilon, members=members)
    return _emit_normalized(builder, data, form, scale, bias)


@lowers(MVNV2)
def lower_mvn_2(op: MVNV2, builder: Builder, data: Operand) -> View:
    """Samples or channels by their mean and variance."""
    mode = INSIDE if op.normalize_variance else ABSENT
    return _emit_normalized(builder, data, _Form(op.axes_of(data.ndim), op.eps, mode))


@lowers(MVNV6, numbers=(1,))
def lower_mvn(op: MVNV6, builder: Builder, data: Operand, axes: Operand) -> View:
    """Any axes by their mean and variance."""
    if not builder.is_constant(axes):
        raise Unsupported("axes that depend on values")
    mode = OUTSIDE if op.eps_mode == "outside_sqrt" else INSIDE
    form = _Form(reduced_axes(axes, data.ndim), op.eps, mode if op.normalize_variance else ABSENT)
    return _emit_normalized(builder, data, form)


@lowers(NormalizeL2, numbers=(1,))
def lower_normalize_l2(op: NormalizeL2, builder: Builder, data: Operand, axes: Operand) -> View:
    """Any axes by their norm."""
    if not builder.is_constant(axes):
        raise Unsupported("axes that depend on values")
    along = reduced_axes(axes, data.ndim)
    if not along:
        raise Unsupported("no axes")
    form = _Form(along, op.eps, LEAST if op.eps_mode == "max" else INSIDE, centred=False)
    return _emit_normalized(builder, data, form)


def _emit_normalized(
    builder: Builder, data: Operand, form: _Form, gamma: Operand | None = None, beta: Operand | None = None
) -> View:
    """Lines of elements by their moments; ``gamma`` and ``beta`` are rows of channels."""
    require_f32(data, gamma, beta)
    scale = None if gamma is None else emit_contiguous(builder, gamma)
    order = _order(data, form)
    x = emit_contiguous(builder, data.transpose(order))
    sizes = [1 if axis in form.axes else data.shape[axis] for axis in order]
    first = min(map(order.index, form.axes), default=len(order))
    stop = first + len(form.axes)
    stacks, size, columns = (
        math.prod(x.shape[place]) for place in (slice(first), slice(first, stop), slice(stop, None))
    )
    lines, parts = stacks * columns, _parts(stacks, size, columns)
    partial = [builder.empty((parts, lines)) for _ in range(2)]
    each, tasks = share(stacks * parts, 0.3 * data.size + 20 * stacks * parts)
    means_at, squares_at = map(builder.address, partial)
    centred = int(form.centred)
    builder.call(
        moments,
        Moments(builder.address(x), means_at, squares_at, stacks, size, columns, parts, centred, each),
        tasks,
        8 * columns,
    )
    means, factor = builder.empty(sizes), builder.empty(sizes)
    each, tasks = share(lines // form.members, 4.0 * lines * parts)
    builder.call(
        factors,
        Normalization(
            means_at,
            squares_at,
            builder.address(scale),
            builder.address(means),
            builder.address(factor),
            lines=lines,
            members=form.members,
            size=size,
            parts=parts,
            channels=1 if gamma is None else data.shape[1],
            is_mean=centred,
            mode=form.mode,
            eps=form.eps,
            groups_per_task=each,
        ),
        tasks,
    )
    e = Expression(builder)
    result = e("subtract", e.read(x), e.read(means)) if form.centred else e.read(x)
    if form.mode != ABSENT:
        result = e("multiply", result, e.read(factor))
    if beta is not None:
        row = builder.view(beta).reshape(1, -1, *(1,) * (data.ndim - 2))
        result = e("add", result, e.read(row.transpose(order)))
    return e.emit(result, F32).transpose(np.argsort(order).tolist())


def _order(data: Operand, form: _Form) -> list[int]:
    """The axes in the order of memory, or others last where they are no neighbours there, or channels in the way."""
    order = memory_order(data)
    places = sorted(map(order.index, form.axes))
    others = [axis for axis in order if axis not in form.axes]
    is_apart = any(after - before > 1 for before, after in itertools.pairwise(places))
    if is_apart or (form.members != 1 and others != sorted(others)):
        return [axis for axis in range(data.ndim) if axis not in form.axes] + list(form.axes)
    return order


@of_sizes
def _parts(stacks: int, size: int, columns: int) -> int:
    """The parts of a line."""
    _, tasks = share(size, 0.3 * stacks * size * columns)
    return max(1, min(size, -(-int(tasks) // max(stacks, 1))))


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
