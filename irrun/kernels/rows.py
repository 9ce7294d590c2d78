"""What is done to the rows of a matrix, a few at a time while they are in the cache."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from irrun.kernels.activation import row_sums
from irrun.kernels.products import multiply_through, rows_at_a_time
from irrun.kernels.threads import Array, are_products_shared, common, processes, scratch, split

BLOCK: Final = 1 << 17
"""Elements that are worked on at a time."""

_TURNED: Final = 512
"""Columns of a result that are computed as rows at a time."""

_SHORTEST: Final = 256
"""Elements of a run of memory from which on it is worth an inner loop."""

_SHARE: Final = 16
"""Rows or columns of a product are shared in multiples of so many: a line of the cache."""

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
    by_columns = len(a) < b.shape[1]
    spread = None if bias is None else np.broadcast_to(bias, out.shape)

    def some(first: int, last: int) -> None:
        here = slice(_SHARE * first, _SHARE * last)
        place = (slice(None), here) if by_columns else (here, slice(None))
        left, right = (a, b[:, here]) if by_columns else (a[here], b)
        _product(left, right, out[place], _part(spread, place), _part(summand, place), activation)

    split(some, -(-max(out.shape) // _SHARE), 0.01 * out.size * len(b))


def _part(array: Array | None, place: tuple[slice, slice]) -> Array | None:
    return None if array is None else array[place]


def _product(
    a: Array, b: Array, out: Array, bias: Array | None, summand: Array | None, activation: Activation | None
) -> None:
    by_columns = b.strides[0] == b.itemsize < b.strides[1] and not are_products_shared()
    if by_columns and rows_at_a_time(len(b), len(a)):
        _turned_product(a, b, out)
    else:
        multiply_through(a, b, out)
    if bias is None and summand is None and activation is None:
        return
    step = max(BLOCK // max(out.shape[1], 1), 1)
    for start in range(0, len(out), step):
        block = out[start : start + step]
        if bias is not None:
            block += bias[start : start + step]
        if summand is not None:
            block += summand[start : start + step]
        if activation is not None:
            activation(block)


def _turned_product(a: Array, b: Array, out: Array) -> None:
    """For few rows, and a matrix b whose columns are runs of memory: they are taken as rows."""
    turned = np.ascontiguousarray(a.T)
    for start in range(0, out.shape[1], _TURNED):
        here = slice(start, start + _TURNED)
        columns = b[:, here].T
        block = scratch("turned", (len(columns), len(a)), out.dtype)
        multiply_through(columns, turned, block)
        np.copyto(out[:, here], block.T)


def layer_norm(
    x: Array, gamma: Array | None, beta: Array | None, eps: float, eps_outside: bool, centred: bool, out: Array
) -> None:
    """(x - mean) / sqrt(variance + eps) * gamma + beta for each row of x; ``eps_outside`` adds eps to the root instead.

    Without ``centred`` the mean is taken to be zero: the root of the mean square. ``out`` may be x. Both lie in memory
    row by row, or both column by column.
    """
    rows, columns = x.shape
    norm = _Norm(gamma, beta, eps, eps_outside, centred)
    if x.strides[0] < x.strides[1]:
        step = max(4 * BLOCK // columns, _SHORTEST)
        for start in range(0, rows, step):
            norm.of_columns(x.T[:, start : start + step], out.T[:, start : start + step])
        return
    step = max(BLOCK // max(columns, 1), 1)

    def work(first: int, last: int) -> None:
        for start in range(first, last, step):
            here = slice(start, min(start + step, last))
            norm.of_rows(x[here], out[here])

    split(work, rows, 0.8 * x.size)


class _Norm(NamedTuple):
    """How rows are normalized, or columns."""

    gamma: Array | None
    beta: Array | None
    eps: float
    eps_outside: bool
    centred: bool

    def of_rows(self, x: Array, out: Array) -> None:
        count = max(x.shape[1], 1)
        if self.centred:
            mean = row_sums(x)
            mean /= count
            x = np.subtract(x, mean, out=out)
        np.divide(x, self._deviation(np.vecdot(x, x)[:, np.newaxis], count), out=out)
        if self.gamma is not None:
            out *= self.gamma
        if self.beta is not None:
            out += self.beta

    def of_columns(self, x: Array, out: Array) -> None:
        """Each process has some of the rows, and a part of each sum."""
        count, columns = x.shape
        parts = processes()
        sums = common("sums", (2, parts, columns), x.dtype)
        ones = np.ones((1, count), x.dtype)
        places = [slice(count * part // parts, count * (part + 1) // parts) for part in range(parts)]

        def total(first: int, last: int) -> None:
            for part, here in enumerate(places[first:last], first):
                np.matmul(ones[:, here], x[here], out=sums[0, part : part + 1])

        def centre(first: int, last: int) -> None:
            for part, here in enumerate(places[first:last], first):
                block = np.subtract(x[here], mean, out=out[here]) if self.centred else x[here]
                squares = np.multiply(block, block, out=scratch("squares", block.shape, block.dtype))
                np.matmul(ones[:, here], squares, out=sums[1, part : part + 1])

        def scale(first: int, last: int) -> None:
            for here in places[first:last]:
                block = np.multiply(out[here] if self.centred else x[here], factor, out=out[here])
                if self.gamma is not None:
                    block *= self.gamma.reshape(-1, 1)[here]
                if self.beta is not None:
                    block += self.beta.reshape(-1, 1)[here]

        mean = np.zeros(columns, x.dtype)
        if self.centred:
            split(total, parts, 0.2 * x.size)
            mean = sums[0].sum(axis=0)
            mean /= count
        split(centre, parts, 0.3 * x.size)
        factor = 1 / self._deviation(sums[1].sum(axis=0), count)
        split(scale, parts, 0.3 * x.size)

    def _deviation(self, squares: Array, count: int) -> Array:
        squares /= count
        if not self.eps_outside:
            squares += self.eps
        np.sqrt(squares, out=squares)
        if self.eps_outside:
            squares += self.eps
        return squares
