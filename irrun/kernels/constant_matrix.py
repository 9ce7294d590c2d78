"""A constant matrix that others are multiplied with: packed once, where BLAS packs it for each product."""

from __future__ import annotations

import itertools
import math
import mmap
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from irrun.kernels.blas import SLACK, Kernel, address, kernel
from irrun.kernels.calls import Call, call
from irrun.kernels.finish import even
from irrun.kernels.products import is_light, multiplying
from irrun.kernels.threads import Array, are_products_shared, scratch

_DEPTH: Final = 256
"""Rows of the constant matrix in a part, roughly: what meets them of a few rows of data stays in the first cache."""

_EVEN: Final = 64
"""Parts have a multiple of so many rows."""

_WIDTH: Final = 256
"""Columns in such a part, at most: the part stays in the second cache."""

_LANES: Final = 16
"""Parts begin at multiples of so many columns, and so do the ranges that are asked for."""

_LEAST_ROWS: Final = 4
"""Rows of data from which on to pack: a product with fewer only waits for the matrix."""

_DATA: Final = 1 << 20
"""Elements of data that are packed at a time."""

_MOST_ROWS: Final = 96
"""Rows that are packed at a time even where they have more elements."""


_Part = tuple[int, int, int, int, int]
"""First column, columns, first row, rows, and where it begins in memory."""


class ConstantMatrix:
    """A matrix [K, N], made by ``make`` for the first product.

    Where BLAS shares a product between its threads, it is multiplied with as it is. In one thread it is packed by the
    first product, and then lies in memory in that order only. What it is added to lies row by row, or column by column
    where that is ``turned``.
    """

    def __init__(
        self, make: Callable[[], Array], shape: tuple[int, int], dtype: np.dtype[Any], turned: bool = False
    ) -> None:
        self.shape = shape
        self.dtype = dtype
        self.turned = turned
        self._make = make
        self._plain: Array | None = None
        self._packed: Panels | None = None

    @classmethod
    def of(cls, matrix: Array, turned: bool = False) -> ConstantMatrix:
        """A matrix that is there already."""
        depth, columns = matrix.shape
        return cls(lambda: matrix, (depth, columns), matrix.dtype, turned)

    @property
    def nbytes(self) -> int:
        return math.prod(self.shape) * self.dtype.itemsize

    def is_packed_for(self, rows: int) -> bool:
        """Whether so many rows of data are multiplied by `add_product`, not by `multiply`."""
        if are_products_shared():
            return False
        if self._packed is None and rows >= _LEAST_ROWS and self.dtype == np.float32 and not is_light(*self.shape):
            innermost = kernel()
            if innermost is not None and 0 not in self.shape:
                self._pack(innermost)
        return self._packed is not None

    def multiply(self, a: Array, out: Array, low: int = 0, high: int | None = None) -> Iterator[Call]:
        """``a`` [M, K] times the columns from ``low`` to ``high``, written to ``out``."""
        columns = self._as_it_is()[:, low:high]
        if out.strides[0] < out.strides[1]:
            return multiplying(columns.T, a.T, out.T)
        return multiplying(a, columns, out)

    def add_product(self, a: Array, out: Array, low: int = 0, high: int | None = None) -> Iterator[Call]:
        """Adds ``a`` [M, K] times the columns from ``low`` to ``high`` to ``out``."""
        assert self._packed is not None
        return self._packed.add_product(a, out, low, self.shape[1] if high is None else high)

    def _pack(self, innermost: Kernel) -> None:
        matrix = self._plain if self._plain is not None else self._make()
        self._packed = Panels(innermost, matrix, self.turned)
        self._plain = None
        self._make = self._packed.unpacked
        _forget_pages(matrix)

    def _as_it_is(self) -> Array:
        plain = self._plain
        if plain is None:
            plain = self._plain = self._make()
        return plain


class Panels:
    """A matrix [K, N] in parts, each packed for the innermost kernel. Results are ``turned`` as in `ConstantMatrix`."""

    def __init__(self, innermost: Kernel, matrix: Array, turned: bool = False) -> None:
        self.kernel = innermost
        self.turned = turned
        self.shape = depth, columns = matrix.shape
        if not (matrix.flags.c_contiguous or matrix.flags.f_contiguous):
            matrix = np.ascontiguousarray(matrix)
        self.memory = np.empty(depth * columns + SLACK, np.float32)
        self.depths = list(_ranges(depth, _DEPTH, _EVEN))
        self.parts: list[_Part] = []
        place = 0
        widths = list(_ranges(columns, _WIDTH, _LANES))
        pairs = list(itertools.product(widths, self.depths))
        if depth > columns:
            pairs = sorted(pairs, key=lambda pair: pair[1])
        for (first, width), (begin, size) in pairs:
            self.parts.append((first, width, begin, size, place))
            self._pack(matrix[begin : begin + size, first : first + width], self.memory[place:])
            place += width * size
        self._address = address(self.memory)
        self._known: dict[tuple[int, int], list[_Part]] = {}

    def add_product(self, a: Array, out: Array, low: int, high: int) -> Iterator[Call]:
        """Adds ``a`` [M, K] times the columns from ``low`` to ``high`` to ``out``."""
        step = even(len(a), max(_DATA // self.shape[0], _MOST_ROWS))
        for first in range(0, len(a), step):
            yield from self._add(a[first : first + step], out[first : first + step], self._between(low, high))

    def _add(self, a: Array, out: Array, parts: list[_Part]) -> Iterator[Call]:
        rows = len(a)
        packed = scratch("packed rows", (a.size + SLACK,), np.float32)
        data = address(packed)
        yield from self._pack_data(a, data)
        multiply, target, kept = self.kernel.multiply, address(out), (out, packed, self.memory)
        if self.turned:
            step = out.strides[1] // 4
            for first, width, begin, size, place in parts:
                left, to = data + 4 * rows * begin, target + 4 * step * first
                yield call(multiply, rows, width, size, 1.0, left, place, to, step, kept=kept)
        else:
            step = out.strides[0] // 4
            for first, width, begin, size, place in parts:
                right, to = data + 4 * rows * begin, target + 4 * first
                yield call(multiply, width, rows, size, 1.0, place, right, to, step, kept=kept)

    def _pack_data(self, a: Array, data: int) -> Iterator[Call]:
        if a.itemsize not in a.strides:
            laid = scratch("rows", a.shape, a.dtype)
            yield call(np.copyto, laid, a)
            a = laid
        down, along = a.strides
        by_rows = along == a.itemsize
        step, source = (down if by_rows else along) // 4, address(a)
        pack = self.kernel.copy(right=self.turned, runs_of_depth=by_rows)
        for begin, size in self.depths:
            yield call(pack, size, len(a), source + along * begin, step, data + 4 * len(a) * begin, kept=a)

    def _pack(self, part: Array, to: Array) -> None:
        down, along = (stride // 4 for stride in part.strides)
        pack = self.kernel.copy(right=not self.turned, runs_of_depth=along != 1)
        pack(*part.shape, address(part), down if along == 1 else along, address(to))

    def _between(self, low: int, high: int) -> list[_Part]:
        """What lies between two columns, of each part; with the address, and the first column counted from ``low``."""
        known = self._known.get((low, high))
        if known is None:
            known = []
            for first, width, begin, size, place in self.parts:
                start, stop = max(first, low), min(first + width, high)
                if start < stop:
                    where = self._address + 4 * (place + size * (start - first))
                    known.append((start - low, stop - start, begin, size, where))
            self._known[low, high] = known
        return known

    def unpacked(self) -> Array:
        """The matrix as it was. The order in which a part is packed is found by packing the numbers of its elements."""
        matrix = np.empty(self.shape, np.float32)
        for first, width, begin, size, place in self.parts:
            numbers = np.arange(size * width, dtype=np.int32)
            order = np.empty(size * width + SLACK, np.int32)
            self._pack(numbers.view(np.float32).reshape(size, width), order.view(np.float32))
            part = np.empty(size * width, np.float32)
            part[order[: size * width]] = self.memory[place : place + size * width]
            matrix[begin : begin + size, first : first + width] = part.reshape(size, width)
        return matrix


def _ranges(count: int, most: int, multiple: int) -> Iterator[tuple[int, int]]:
    """Ranges of about ``most`` that make up ``range(count)``, about as large each: first and size."""
    parts = max(round(count / most), 1)
    size = -(-count // (parts * multiple)) * multiple
    for first in range(0, count, size):
        yield first, min(size, count - first)


def _forget_pages(array: Array) -> None:
    """Lets go of the memory of an array that lies in a file; it is read once more when it is used."""
    base: object = array
    while isinstance(base, np.ndarray) and base.base is not None:
        base = base.base
    file = base.obj if isinstance(base, memoryview) else base
    if isinstance(file, mmap.mmap) and memoryview(file).readonly:
        begin = address(array) - address(np.frombuffer(file, np.uint8))
        first = -(-begin // mmap.PAGESIZE) * mmap.PAGESIZE
        last = (begin + array.nbytes) // mmap.PAGESIZE * mmap.PAGESIZE
        if first < last:
            file.madvise(mmap.MADV_DONTNEED, first, last - first)
