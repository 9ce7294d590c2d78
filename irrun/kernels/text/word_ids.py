"""The ids of many words at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from irrun.kernels.text.kept import Remembered
from irrun.kernels.text.strings import gather, joined, split

Array = NDArray[Any]

_FEW: Final = 64
"""The number of words up to which they are looked up one by one."""
_WIDE: Final = 16
"""The bytes up to which a word has a place in the table."""
_PLACES: Final = 14
"""The logarithm of the number of places."""
_MOST: Final = 1 << 18
"""The number of ids beyond which the table is emptied."""
_FACTORS: Final = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], np.uint64)
_LOW_BYTES: Final = np.array([(1 << 8 * size) - 1 for size in range(9)], np.uint64)


class _Words(NamedTuple):
    """Words of 16 bytes at most: their bytes as two numbers, and their sizes."""

    low: Array
    high: Array
    sizes: Array

    def places(self) -> Array:
        """Return the place of each word in the table."""
        low, high, sizes = self
        mixed = low * _FACTORS[0] ^ high * _FACTORS[1] ^ sizes.astype(np.uint64) * _FACTORS[2]
        return np.asarray((mixed ^ mixed >> np.uint64(32)) * _FACTORS[0] >> np.uint64(64 - _PLACES), np.intp)


class _Table(NamedTuple):
    """The word at each place, and the part of ``ids`` that is its own. No array is written to."""

    words: _Words
    begins: Array
    ends: Array
    ids: Array

    def has(self, words: _Words, places: Array) -> Array:
        """Return which words are at their places."""
        found = [known[places] == own for known, own in zip(self.words, words, strict=True)]
        return np.asarray(np.logical_and.reduce(found))

    def extended(self, words: _Words, places: Array, begins: Array, ends: Array, ids: Array) -> _Table:
        """Return the table with words instead of those at their places; of words of one place with the first."""
        places, first = np.unique(places, return_index=True)
        found = []
        for array, new in zip((*self.words, self.begins, self.ends), (*words, begins, ends), strict=True):
            found.append(array.copy())
            found[-1][places] = new[first]
        return _Table(_Words(*found[:3]), found[3], found[4], ids)


def _empty() -> _Table:
    none, zeros = np.zeros(1 << _PLACES, np.uint64), np.zeros(1 << _PLACES, np.int64)
    return _Table(_Words(none, none, zeros - 1), zeros, zeros, np.zeros(0, np.int32))


class WordIds:
    """The ids of words, which ``encode`` tells of one.

    Many words are looked up in a table with places for short ones; the others, and those whose place another word has,
    one by one.
    """

    def __init__(self, encode: Callable[[bytes], Sequence[int]]) -> None:
        self.of_one: Final = Remembered(encode)
        self._table = _empty()

    def of_each(self, begins: Array, ends: Array, chars: Array) -> tuple[Array, Array]:
        """Return the number of ids of each word, and the ids, i32, of one word after the other."""
        if len(begins) <= _FEW:
            return self._one_by_one(begins, ends, chars)
        table, words = self._table, _words(begins, ends, chars)
        places = words.places()
        first, last, ids = table.begins[places], table.ends[places], table.ids
        missing = np.flatnonzero(~table.has(words, places))
        if len(missing):
            counts, more = self._one_by_one(begins[missing], ends[missing], chars)
            last[missing] = len(ids) + np.cumsum(counts)
            first[missing] = last[missing] - counts
            ids = np.concatenate([ids, more])
            short = missing[words.sizes[missing] <= _WIDE]
            if len(ids) > _MOST:
                self._table = _empty()
            elif len(short):
                own = _Words(*(array[short] for array in words))
                self._table = table.extended(own, places[short], first[short], last[short], ids)
        return last - first, gather(first, last, ids)

    def _one_by_one(self, begins: Array, ends: Array, chars: Array) -> tuple[Array, Array]:
        return joined([*map(self.of_one.__getitem__, split(begins, ends, chars))])


def _words(begins: Array, ends: Array, chars: Array) -> _Words:
    """Return the first 16 bytes of words as numbers, and the sizes of the words."""
    begins = begins.astype(np.int64)
    sizes = ends - begins
    data = np.concatenate([chars, np.zeros(_WIDE, np.uint8)])
    numbers = np.ndarray(data.size - 7, "<u8", data, strides=(1,))
    low = numbers[begins] & _LOW_BYTES[np.minimum(sizes, 8)]
    high = numbers[np.minimum(begins + 8, chars.size + 8)] & _LOW_BYTES[np.clip(sizes - 8, 0, 8)]
    return _Words(low, high, sizes)
