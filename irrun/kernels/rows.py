"""What is done to the rows of a matrix, a few at a time while they are in the cache."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from irrun.kernels.activation import row_sums
from irrun.kernels.threads import Array, scratch, split

BLOCK: Final = 1 << 17
"""Elements that are worked on at a time."""

Activation = Callable[[Array], object]
"""Overwrites an array with a function of its elements."""


def product(
    a: Array,
    b: Array,
    out: Array,
    bias: Array | None = None,
    summand: Array | None = None,
    activation: Activation | None = None,
) -> None:
    """activation(a · b + bias + summand), written to ``out``, for matrices; ``bias`` is a row or a column."""
    np.matmul(a, b, out=out)
    if bias is None and summand is None and activation is None:
        return
    step = max(BLOCK // max(out.shape[1], 1), 1)
    if bias is not None:
        bias = np.broadcast_to(bias, out.shape)
    for start in range(0, len(out), step):
        block = out[start : start + step]
        if bias is not None:
            block += bias[start : start + step]
        if summand is not None:
            block += summand[start : start + step]
        if activation is not None:
            activation(block)


def layer_norm(
    x: Array, gamma: Array | None, beta: Array | None, eps: float, eps_outside: bool, centred: bool, out: Array
) -> None:
    """(x - mean) / sqrt(variance + eps) * gamma + beta for each row of x; ``eps_outside`` adds eps to the root instead.

    Without ``centred`` the mean is taken to be zero: the root of the mean square. ``out`` may be x. Both lie in memory
    row by row, or both column by column.
    """
    rows, columns = x.shape
    by_columns = x.strides[0] < x.strides[1]
    step = max(256 if by_columns else 1, BLOCK // max(columns, 1))

    if x.size <= BLOCK // 4:
        _normalize(x, gamma, beta, eps, eps_outside, centred, out, by_columns)
        return

    def work(first: int, last: int) -> None:
        for start in range(first * step, min(last * step, rows), step):
            block, target = x[start : start + step], out[start : start + step]
            _normalize(block, gamma, beta, eps, eps_outside, centred, target, by_columns)

    split(work, -(-rows // step), 0.8 * x.size)


def _normalize(
    x: Array,
    gamma: Array | None,
    beta: Array | None,
    eps: float,
    eps_outside: bool,
    centred: bool,
    out: Array,
    by_columns: bool,
) -> None:
    count = max(x.shape[1], 1)
    if centred:
        mean = _sums(x, None, by_columns)
        mean /= count
        x = np.subtract(x, mean, out=out)
    deviation = _sums(x, x, by_columns)
    deviation /= count
    if not eps_outside:
        deviation += eps
    np.sqrt(deviation, out=deviation)
    if eps_outside:
        deviation += eps
    np.divide(x, deviation, out=out)
    if gamma is not None:
        out *= gamma
    if beta is not None:
        out += beta


def _sums(x: Array, times: Array | None, by_columns: bool) -> Array:
    """The sum of each row of x, or of the products with the elements of ``times``, as a column."""
    if not by_columns:
        return row_sums(x) if times is None else np.vecdot(x, times)[:, np.newaxis]
    turned = x.T if times is None else np.multiply(x.T, times.T, out=scratch("squares", x.T.shape, x.dtype))
    sums: Array = np.matmul(np.ones((1, len(turned)), x.dtype), turned)
    return sums.T
