"""Numbers that are stored in few bits: integers of 4 bits, and codes that stand for numbers of a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from irrun.kernels.layout import axes_in_memory
from irrun.kernels.threads import Array, scratch

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

    def __getitem__(self, rows: slice) -> Array:
        """Return rows of numbers in workspace, in the memory order of the codes."""
        return self._of(self.stored[rows], lambda shape, dtype: scratch("numbers", shape, dtype))

    def whole(self) -> Array:
        """Return all numbers."""
        return self._of(self.stored, np.empty)

    def in_bytes(self) -> Lookup:
        """Return the numbers with a byte for each code."""
        return Lookup(self._bytes(), self.table, self.name)

    def reshape(self, *shape: int) -> Lookup:
        return Lookup(self.codes.reshape(*shape), self.table, self.name)

    def transpose(self, *order: int) -> Lookup:
        """Return the numbers with axes in another order, which have a byte for each code."""
        return Lookup(self._bytes().transpose(*order), self.table, self.name)

    def _bytes(self) -> Array:
        return self.codes.in_bytes() if isinstance(self.codes, Nibbles) else self.codes

    def picked(self, pick: Callable[[Array], Array]) -> Lookup:
        """Return other rows, which a function picks from an array."""
        codes = self.codes.picked(pick) if isinstance(self.codes, Nibbles) else pick(self.codes)
        return Lookup(codes, self.table, self.name)

    def _of(self, stored: Array, empty: Callable[[Sequence[int], Any], Array]) -> Array:
        """Return the numbers of bytes: those of a pair are taken from a table at once."""
        table = np.ascontiguousarray(self.of_bytes).view(f"u{4 * self.of_bytes.ndim}").reshape(-1)
        order = axes_in_memory(stored)
        laid = stored.transpose(order)
        found = empty(laid.shape, table.dtype)
        table.take(laid, out=found, mode="clip")
        return found.view(np.float32).transpose(np.argsort(order))


_SHIFT: Final = np.uint16(1 << 4)
_LOW_HALVES: Final = np.uint16(0x0F0F)
_SIGN: Final = np.uint8(8)


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

    def __getitem__(self, rows: slice) -> Array:
        """Return rows as bytes, in workspace."""
        return self._unpacked(self.pairs[rows], scratch)

    def whole(self) -> Array:
        """Return all integers as bytes."""
        return self._unpacked(self.pairs, lambda _, shape, dtype: np.empty(shape, dtype))

    in_bytes = whole

    def reshape(self, *shape: int) -> Nibbles:
        """Return the integers in a shape whose last axis has an even size; -1 stands for its size."""
        *front, last = shape
        return Nibbles(self.pairs.reshape(*front, last if last < 0 else last // 2), signed=self.signed)

    def as_lookup(self) -> Lookup:
        """Return the integers as numbers of a table."""
        codes = np.arange(16, dtype=np.float32)
        return Lookup(self, np.where(codes < _SIGN, codes, codes - 16) if self.signed else codes, self.dtype.name)

    def picked(self, pick: Callable[[Array], Array]) -> Nibbles:
        """Return other rows, which a function picks from an array."""
        return Nibbles(pick(self.pairs), signed=self.signed)

    def _unpacked(self, pairs: Array, empty: Any) -> Array:
        # Words of which the first byte ends with the low half of a pair, and the second with the high half.
        words = empty("nibbles", pairs.shape, "<u2")
        np.multiply(pairs, _SHIFT, out=words, dtype="<u2")
        np.bitwise_or(words, pairs, out=words)
        np.bitwise_and(words, _LOW_HALVES, out=words)
        codes: Array = words.view(np.uint8)
        if self.signed:
            np.bitwise_xor(codes, _SIGN, out=codes)
            np.subtract(codes, _SIGN, out=codes)
        return codes.view(self.dtype)
