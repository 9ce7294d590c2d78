"""Integers of 4 bits, two in a byte."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from irrun.kernels.threads import Array, scratch

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
