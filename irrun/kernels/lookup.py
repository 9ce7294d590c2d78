"""Numbers that are stored in few bits: integers of 4 bits, and codes that stand for numbers of a table."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from irrun.kernels.threads import Array

_BYTES: Final = np.arange(256)


class Lookup:
    """Numbers [N, ..., S] of an element type ``name``: ``table[codes]``, f32.

    The table has 16 or 256 elements. ``codes`` are bytes without sign, or two in a byte.
    """

    dtype: np.dtype[Any] = np.dtype(np.float32)

    def __init__(self, codes: Array | Nibbles, table: Array, name: str) -> None:
        self.codes = codes
        self.table = table
        self.name = name

    @property
    def shape(self) -> tuple[int, ...]:
        return self.codes.shape

    @property
    def nbytes(self) -> int:
        return int(self.codes.nbytes)

    @property
    def stored(self) -> Array:
        """The bytes of the codes."""
        return self.codes.pairs if isinstance(self.codes, Nibbles) else self.codes

    @property
    def of_bytes(self) -> Array:
        """The number that each byte stands for, or the two numbers [256, 2]."""
        return self.table[np.stack([_BYTES & 15, _BYTES >> 4], -1)] if isinstance(self.codes, Nibbles) else self.table

    @property
    def is_finite(self) -> bool:
        """Return whether no number is infinite or NaN."""
        others = np.flatnonzero(~np.isfinite(self.table))
        return not any(bool((row == code).any()) for row in self.codes[:] for code in others)

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: Any) -> Array:
        """Return the numbers of rows."""
        return self.table.take(self.codes[rows], mode="clip")

    def in_bytes(self) -> Lookup:
        """Return the numbers with a byte for each code."""
        return Lookup(self.codes[:], self.table, self.name)

    def reshape(self, *shape: int) -> Lookup:
        return Lookup(self.codes.reshape(*shape), self.table, self.name)

    def transpose(self, *order: int) -> Lookup:
        """Return the numbers with axes in another order, which have a byte for each code."""
        return Lookup(self.codes[:].transpose(*order), self.table, self.name)


class Nibbles:
    """A matrix [N, ..., S] of integers of 4 bits: ``pairs`` [N, ..., S / 2], the first of each in the low half."""

    def __init__(self, pairs: Array, *, signed: bool) -> None:
        self.pairs = pairs
        self.signed = signed
        self.shape: tuple[int, ...] = (*pairs.shape[:-1], 2 * pairs.shape[-1])
        self.dtype: np.dtype[Any] = np.dtype(np.int8 if signed else np.uint8)

    @property
    def nbytes(self) -> int:
        return self.pairs.nbytes

    def __len__(self) -> int:
        return len(self.pairs)

    def __getitem__(self, rows: Any) -> Array:
        """Return rows as bytes."""
        pairs = self.pairs[rows]
        # Words of which the first byte ends with the low half of a pair, and the second with the high half.
        words = np.multiply(pairs, 1 << 4, dtype="<u2")
        words |= pairs
        words &= 0x0F0F
        codes: Array = words.view(np.uint8)
        if self.signed:
            codes ^= 8
            codes -= 8
        return codes.view(self.dtype)

    def in_bytes(self) -> Array:
        """Return all integers as bytes."""
        return self[:]

    def reshape(self, *shape: int) -> Nibbles:
        """Return the integers in a shape whose last axis has an even size; -1 stands for its size."""
        *front, last = shape
        return Nibbles(self.pairs.reshape(*front, last if last < 0 else last // 2), signed=self.signed)

    def as_lookup(self) -> Lookup:
        """Return the integers as numbers of a table."""
        codes = np.arange(16, dtype=np.float32)
        return Lookup(self, np.where(codes < 8, codes, codes - 16) if self.signed else codes, self.dtype.name)
