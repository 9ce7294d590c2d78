"""What is done to the rows of a matrix, a few at a time while they are in the cache."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from irrun.kernels.activation import row_sums
from irrun.kernels.blas import LANES
from irrun.kernels.calls import Call, Recorded
from irrun.kernels.constant_matrix import ConstantMatrix
from irrun.kernels.finish import Finish
from irrun.kernels.threads import Array, common, processes, scratch, split

BLOCK: Final = 1 << 17
"""Elements that are worked on at a time."""

_SHORTEST: Final = 256
"""Elements of a run of memory from which on it is worth an inner loop."""


def product(
    a: Array, b: ConstantMatrix, out: Array, finish: Finish, summand: Array | None = None, *, repeatable: bool
) -> None:
    """A product of matrices, finished and written to ``out``: each process reads a part of the larger one.

    ``repeatable`` is for `split`.
    """
    if not out.size:
        return
    rows, columns = out.shape
    by_columns = rows < columns

    def some(first: int, last: int) -> Iterator[Call]:
        here = slice(LANES * first, min(LANES * last, columns if by_columns else rows))
        if by_columns:
            added = None if summand is None else summand[:, here]
            ending = finish.of_filters(here.start, here.stop)
            return b.product(a, out[:, here], ending, added, here.start, here.stop)
        return b.product(a[here], out[here], finish, None if summand is None else summand[here])

    split(Recorded(some), -(-max(rows, columns) // LANES), 0.01 * out.size * a.shape[1], repeatable=repeatable)


def layer_norm(
    x: Array,
    gamma: Array | None,
    beta: Array | None,
    eps: float,
    eps_outside: bool,
    centred: bool,
    out: Array,
    *,
    repeatable: bool,
) -> None:
    """(x - mean) / sqrt(variance + eps) * gamma + beta for each row of x; ``eps_outside`` adds eps to the root instead.

    Without ``centred`` the mean is taken to be zero: the root of the mean square. ``out`` may be x. Both lie in memory
    row by row, or both column by column. ``repeatable`` is for `split`.
    """
    rows, columns = x.shape
    norm = _Norm(gamma, beta, eps, eps_outside, centred)
    if x.strides[0] < x.strides[1]:
        step = max(4 * BLOCK // columns, _SHORTEST)
        for start in range(0, rows, step):
            norm.of_columns(x.T[:, start : start + step], out.T[:, start : start + step], repeatable=repeatable)
        return
    step = max(BLOCK // max(columns, 1), 1)

    def work(first: int, last: int) -> None:
        for start in range(first, last, step):
            here = slice(start, min(start + step, last))
            norm.of_rows(x[here], out[here])

    split(work, rows, 0.8 * x.size, repeatable=repeatable)


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

    def of_columns(self, x: Array, out: Array, *, repeatable: bool) -> None:
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
            mean = sums[0].sum(axis=0)
            mean /= count
            for part, here in enumerate(places[first:last], first):
                block = np.subtract(x[here], mean, out=out[here]) if self.centred else x[here]
                squares = np.multiply(block, block, out=scratch("squares", block.shape, block.dtype))
                np.matmul(ones[:, here], squares, out=sums[1, part : part + 1])

        def scale(first: int, last: int) -> None:
            factor = 1 / self._deviation(sums[1].sum(axis=0), count)
            for here in places[first:last]:
                block = np.multiply(out[here] if self.centred else x[here], factor, out=out[here])
                if self.gamma is not None:
                    block *= self.gamma.reshape(-1, 1)[here]
                if self.beta is not None:
                    block += self.beta.reshape(-1, 1)[here]

        for work in (total, centre, scale) if self.centred else (centre, scale):
            split(work, parts, 0.3 * x.size, repeatable=repeatable)

    def _deviation(self, squares: Array, count: int) -> Array:
        squares /= count
        if not self.eps_outside:
            squares += self.eps
        np.sqrt(squares, out=squares)
        if self.eps_outside:
            squares += self.eps
        return squares
