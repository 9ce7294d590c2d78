"""A constant matrix that others are multiplied with: packed once, where BLAS packs it for each product."""

from __future__ import annotations

import itertools
import math
import mmap
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from irrun.kernels.blas import LANES, SLACK, MicroKernel, address, micro_kernel
from irrun.kernels.calls import Call, call
from irrun.kernels.finish import Finish
from irrun.kernels.products import is_light, multiplying
from irrun.kernels.ranges import even, ranges
from irrun.kernels.threads import Array, are_products_shared, scratch

_DEPTH: Final = 256
"""Rows of the constant matrix in a part, roughly: what meets them of a few rows of data stays in the first cache."""

_EVEN: Final = 64
"""Parts have a multiple of so many rows."""

_WIDTH: Final = 256
"""Columns in such a part, roughly: the part stays in the second cache."""

_LEAST_ROWS: Final = 4
"""Rows of data from which on to pack: a product with fewer only waits for the matrix."""

_DATA: Final = 1 << 20
"""Elements of data that are packed at a time."""

_LEAST_STEP: Final = 96
"""Rows of data that are packed at a time at least, even where they have more elements."""

_BYTES: Final = np.dtype(np.float32).itemsize


class ConstantMatrix:
    """A matrix [K, N], made by ``make`` for the first product.

    Where BLAS shares a product between its threads, it is multiplied with as it is. In one thread it is packed by the
    first product of a few rows, and its plain form is let go of; if that is wanted once more, it is made of the packed
    one, and both are kept. Packed products are made row by row, or column by column where they are ``turned``: then
    that is how the result must lie.
    """

    def __init__(
        self, make: Callable[[], Array], shape: tuple[int, int], dtype: np.dtype[Any], *, turned: bool = False
    ) -> None:
        self.shape = shape
        self.dtype = dtype
        self.turned = turned
        self._make = make
        self._plain: Array | None = None
        self._panels: Panels | None = None

    @classmethod
    def of(cls, matrix: Array, *, turned: bool = False) -> ConstantMatrix:
        """A matrix that is there already."""
        depth, columns = matrix.shape
        return cls(lambda: matrix, (depth, columns), matrix.dtype, turned=turned)

    @property
    def nbytes(self) -> int:
        return math.prod(self.shape) * self.dtype.itemsize

    def product(
        self, a: Array, out: Array, finish: Finish, summand: Array | None = None, low: int = 0, high: int | None = None
    ) -> Iterator[Call]:
        """``a`` [M, K] times the columns from ``low`` to ``high``, finished, written to ``out``.

        ``out`` is [M, high - low], or has several axes of rows; ``summand`` is of that shape. ``finish`` is for these
        columns. ``low`` is a multiple of LANES, and so is ``high`` unless it is N.
        """
        high = self.shape[1] if high is None else high
        rows = out.reshape(-1, high - low)
        panels = self._panels_for(len(a))
        if panels is not None:
            yield finish.begin(out, summand)
            yield from panels.add_product(a, rows, low, high)
            yield from finish.activate(out.T if self.turned else out)
        elif self.turned:
            yield from multiplying(self._as_it_is()[:, low:high].T, a.T, rows.T)
            yield from finish.add(out, summand)
            yield from finish.activate(out.T)
        else:
            yield from multiplying(a, self._as_it_is()[:, low:high], rows)
            yield from finish.end(out, summand)

    def _panels_for(self, rows: int) -> Panels | None:
        """The packed matrix, packed now where so many rows are worth it; None where the plain one is to be used."""
        if are_products_shared():
            return None
        if self._panels is None and rows >= _LEAST_ROWS and self.dtype == np.float32 and not is_light(*self.shape):
            found = micro_kernel()
            if found is not None and 0 not in self.shape:
                self._pack(found)
        return self._panels

    def _pack(self, found: MicroKernel) -> None:
        plain = self._plain
        matrix = self._make() if plain is None else plain
        self._panels = Panels(found, matrix, turned=self.turned)
        self._make = self._panels.unpacked
        self._plain = None
        _forget_pages(matrix)

    def _as_it_is(self) -> Array:
        plain = self._plain
        if plain is None:
            plain = self._plain = self._make()
        return plain


class _Part(NamedTuple):
    """A part of a packed matrix. ``place`` is its first element in memory, or the address of that."""

    column: int
    width: int
    row: int
    depth: int
    place: int


class Panels:
    """A matrix [K, N] in parts, each packed for the innermost kernel. Results are ``turned`` as in `ConstantMatrix`."""

    def __init__(self, found: MicroKernel, matrix: Array, *, turned: bool = False) -> None:
        self._kernel = found
        self._turned = turned
        self._shape = depth, columns = matrix.shape
        if not (matrix.flags.c_contiguous or matrix.flags.f_contiguous):
            matrix = np.ascontiguousarray(matrix)
        self._memory = np.empty(depth * columns + SLACK, np.float32)
        self._depths = list(ranges(depth, _DEPTH, _EVEN))
        pairs = list(itertools.product(ranges(columns, _WIDTH, LANES), self._depths))
        if depth > columns:
            # The larger one of data and results is gone through once, so that the other stays in the cache.
            pairs = sorted(pairs, key=lambda pair: pair[1])
        self._parts: list[_Part] = []
        place = 0
        for (column, width), (row, size) in pairs:
            self._parts.append(_Part(column, width, row, size, place))
            self._pack(matrix[row : row + size, column : column + width], self._memory[place:])
            place += width * size
        self._between: dict[tuple[int, int], Sequence[_Part]] = {}

    def add_product(self, a: Array, out: Array, low: int, high: int) -> Iterator[Call]:
        """Adds ``a`` [M, K] times the columns from ``low`` to ``high`` to ``out``.

        ValueError where they are not multiples of LANES; ``high`` may be N.
        """
        if low % LANES or (high % LANES and high != self._shape[1]):
            raise ValueError(f"columns {low} to {high}, expected multiples of {LANES}")
        parts = self._between.get((low, high))
        if parts is None:
            parts = self._between[low, high] = list(self._cut(low, high))
        step = even(len(a), max(_DATA // self._shape[0], _LEAST_STEP))
        for first in range(0, len(a), step):
            yield from self._add(a[first : first + step], out[first : first + step], parts)

    def _add(self, a: Array, out: Array, parts: Sequence[_Part]) -> Iterator[Call]:
        rows = len(a)
        packed = scratch("packed rows", (a.size + SLACK,), np.float32)
        data, target = address(packed), address(out)
        yield from self._pack_data(a, data)
        multiply, kept = self._kernel.multiply, (out, packed, self._memory)
        step = out.strides[1 if self._turned else 0] // _BYTES
        for column, width, row, depth, place in parts:
            part = data + _BYTES * rows * row
            if self._turned:
                yield call(
                    multiply, rows, width, depth, 1.0, part, place, target + _BYTES * step * column, step, kept=kept
                )
            else:
                yield call(multiply, width, rows, depth, 1.0, place, part, target + _BYTES * column, step, kept=kept)

    def _pack_data(self, a: Array, data: int) -> Iterator[Call]:
        if a.itemsize not in a.strides:
            laid = scratch("rows", a.shape, a.dtype)
            yield call(np.copyto, laid, a)
            a = laid
        down, along = a.strides
        by_rows = along == a.itemsize
        step, source = (down if by_rows else along) // _BYTES, address(a)
        pack = self._kernel.copy(right=self._turned, runs_of_depth=by_rows)
        for row, depth in self._depths:
            yield call(pack, depth, len(a), source + along * row, step, data + _BYTES * len(a) * row, kept=a)

    def _pack(self, part: Array, to: Array) -> None:
        down, along = (stride // _BYTES for stride in part.strides)
        pack = self._kernel.copy(right=not self._turned, runs_of_depth=along != 1)
        pack(*part.shape, address(part), down if along == 1 else along, address(to))

    def _cut(self, low: int, high: int) -> Iterator[_Part]:
        """What of each part lies between two columns: with its address, and its first column counted from ``low``."""
        memory = address(self._memory)
        for column, width, row, depth, place in self._parts:
            start, stop = max(column, low), min(column + width, high)
            if start < stop:
                where = memory + _BYTES * (place + depth * (start - column))
                yield _Part(start - low, stop - start, row, depth, where)

    def unpacked(self) -> Array:
        """The matrix as it was. The order in which a part is packed is found by packing the numbers of its elements."""
        matrix = np.empty(self._shape, np.float32)
        for column, width, row, depth, place in self._parts:
            numbers = np.arange(depth * width, dtype=np.int32)
            order = np.empty(depth * width + SLACK, np.int32)
            self._pack(numbers.view(np.float32).reshape(depth, width), order.view(np.float32))
            part = np.empty(depth * width, np.float32)
            part[order[: depth * width]] = self._memory[place : place + depth * width]
            matrix[row : row + depth, column : column + width] = part.reshape(depth, width)
        return matrix


def _forget_pages(array: Array) -> None:
    """Lets go of the memory of an array that lies in a file; it is read once more when it is used."""
    base: object = array
    while isinstance(base, np.ndarray) and base.base is not None:
        base = base.base
    file = base.obj if isinstance(base, memoryview) else base
    # Nobody can have written to a map that is read-only, so that its pages hold what the file holds.
    if isinstance(file, mmap.mmap) and memoryview(file).readonly:
        begin = address(array) - address(np.frombuffer(file, np.uint8))
        first = -(-begin // mmap.PAGESIZE) * mmap.PAGESIZE
        last = (begin + array.nbytes) // mmap.PAGESIZE * mmap.PAGESIZE
        if first < last:
            file.madvise(mmap.MADV_DONTNEED, first, last - first)
