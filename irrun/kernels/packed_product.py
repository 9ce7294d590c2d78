"""Matrix products with weights stored in few bits, which are decompressed to floats a few columns at a time."""

from __future__ import annotations

from typing import Final

import numpy as np

from irrun.kernels.casting import rounded
from irrun.kernels.lookup import Lookup, Nibbles
from irrun.kernels.threads import Array

_BLOCK: Final = 3 << 16
"""Elements decompressed at a time, which stay in the cache until they are multiplied."""

_MANY_ROWS: Final = 192
"""The number of data rows above which a transposed copy of them costs more than it saves."""

_RUN: Final = 128
"""The least number of columns at a time where adjacent columns are contiguous in memory."""

_SIGN_AND_VALUE: Final = np.int32(-0x70002000)
"""The bits of a float32 that a float16 shifted left by 13 can set: 0x8FFFE000."""

_HALF_SCALE: Final = np.float32(2.0**112)
"""The factor that corrects the exponent of a shifted float16."""


FEW_ROWS: Final = 4
"""The number of data rows up to which a product takes as long as reading the weights, whose rounding saves nothing."""


class PackedMatrix:
    """A matrix [K, N] whose columns consist of groups of elements with a scale and a zero point each.

    ``stored`` is [N, G, S], integers of 4 or 8 bits, codes of a table or float16, with G * S = K. ``scale`` and
    ``zero`` are [N, G], or None for 1 and 0. The matrix is (stored - zero) * scale.
    """

    def __init__(self, stored: Array | Nibbles | Lookup, scale: Array | None, zero: Array | None) -> None:
        if (scale is None or scale.shape[1] == 1) and (zero is None or zero.shape[1] == 1):
            stored = stored.reshape(len(stored), 1, -1)
        self.stored = stored
        codes = stored.codes if isinstance(stored, Lookup) else stored
        self._is_transposed = isinstance(codes, np.ndarray) and codes.strides[0] < codes.strides[2]
        self.scale: Array | None = None if scale is None else np.ascontiguousarray(scale, np.float32)
        self._centre = _centre(stored, zero)
        rest = None if zero is None else np.ascontiguousarray(zero - np.float32(self._centre), np.float32)
        self._rest = rest if rest is not None and rest.any() else None
        self._is_finite = stored.dtype != np.float16 or all(np.isfinite(part).all() for part in stored[:])

    @property
    def shape(self) -> tuple[int, int]:
        """K and N."""
        columns, groups, size = self.stored.shape
        return groups * size, columns

    @property
    def zero(self) -> Array:
        """The zero points [N, G]."""
        columns, groups, _ = self.stored.shape
        rest = np.float32(0) if self._rest is None else self._rest
        return np.broadcast_to(np.float32(self._centre) + rest, (columns, groups))

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in (self.stored, self.scale, self._rest) if array is not None)

    def scaled(self, factor: Array) -> PackedMatrix:
        """Return the matrix with each column multiplied by its factor [N]."""
        result = PackedMatrix.__new__(PackedMatrix)
        column = factor.astype(np.float32)[:, np.newaxis]
        result.__dict__.update(self.__dict__)
        result.scale = column if self.scale is None else self.scale * column
        return result

    def product(self, a: Array, precision: str = "f32") -> Array:
        """Return a · matrix for ``a`` [M, K], in f32.

        The common part of the zero points is subtracted from the stored values; the rest is subtracted from the result,
        using the sums of the groups of each row of a. Where the matrix is to be rounded to a ``precision``, both are
        subtracted before.
        """
        rows, depth = a.shape
        columns, groups, size = self.stored.shape
        out = np.empty((rows, columns), np.float32)
        data = a.T if rows >= _MANY_ROWS else np.ascontiguousarray(a.T)
        late = precision == "f32" and self._rest is not None
        sums = None if not late else np.add.reduce(data.reshape(groups, size, rows), axis=1)
        most = max(_BLOCK // max(depth, 1), _RUN if self._is_transposed else 1)
        for start in range(0, columns, most):
            part = slice(start, start + most)
            out[:, part] = self._multiply(part, data, sums, precision).T
        return out

    def _multiply(self, part: slice, data: Array, sums: Array | None, precision: str) -> Array:
        """Multiply columns of the matrix, each as a row, by data [K, M] whose groups have these ``sums`` [G, M]."""
        block = self._floats(self.stored[part])
        count, groups, size = block.shape
        scale, rest = (None if side is None else side[part] for side in (self.scale, self._rest))
        rows = data.shape[1]
        if precision != "f32" or (scale is not None and scale.shape[1] > 1 and rows > size):
            if rest is not None:
                block -= rest[:, :, np.newaxis]
            if scale is not None:
                block *= scale[:, :, np.newaxis]
            return np.asarray(np.matmul(rounded(block.reshape(count, -1), precision), data))
        if scale is None or scale.shape[1] == 1:
            product: Array = np.matmul(block.reshape(count, -1), data)
            if scale is not None:
                product *= scale
        else:
            parts = np.matmul(block.transpose(1, 0, 2), data.reshape(groups, size, rows))
            parts *= scale.T[:, :, np.newaxis]
            product = np.add.reduce(parts, axis=0)
        if rest is not None and sums is not None:
            product -= (rest if scale is None else rest * scale) @ sums
        return product

    def _floats(self, stored: Array) -> Array:
        """Return stored values in float32, minus the common zero point."""
        if stored.dtype == np.float16 and self._is_finite:
            return _expanded(stored)
        if self._centre:
            stored = np.subtract(stored, np.uint8(self._centre)).view(np.int8)
        return stored.astype(np.float32, copy=False)


def _centre(stored: Array | Nibbles | Lookup, zero: Array | None) -> int:
    """Return an integer near the zero points whose subtraction keeps stored values within 8 bits."""
    if zero is None or isinstance(stored, Lookup) or stored.dtype != np.uint8 or not zero.size:
        return 0
    near = int(np.rint(zero.mean()))
    if near >= 64:
        return 128
    is_small = isinstance(stored, Nibbles) or stored.max(initial=0) < 128
    return near if 0 < near < 16 and is_small else 0


def _expanded(stored: Array) -> Array:
    """Convert finite float16 to float32, much faster than NumPy."""
    bits = stored.view(np.int16).astype(np.int32)
    np.left_shift(bits, 13, out=bits)
    np.bitwise_and(bits, _SIGN_AND_VALUE, out=bits)
    floats = bits.view(np.float32)
    floats *= _HALF_SCALE
    return floats
