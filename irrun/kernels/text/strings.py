"""Strings as ranges of an array of bytes, and rows of them.

``begins`` and ``ends`` are offsets into ``chars``; they may overlap, leave gaps and have any order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

_ESCAPED = 0xDC80, 0xDCFF
"""The lone surrogates that stand for bytes that are not UTF-8."""


def split(begins: Array, ends: Array, chars: Array) -> list[bytes]:
    """Return each string as bytes, in the order of ``begins``."""
    text = chars.tobytes()
    return [text[begin:end] for begin, end in zip(begins.reshape(-1).tolist(), ends.reshape(-1).tolist(), strict=True)]


def packed(strings: Iterable[bytes], shape: tuple[int, ...] | None = None) -> tuple[Array, Array, Array]:
    """Return begins and ends, of a shape, and the bytes of strings without gaps between them."""
    found = [*strings]
    begins, ends = offsets(np.fromiter(map(len, found), np.int64, len(found)))
    shape = (len(found),) if shape is None else shape
    return begins.reshape(shape), ends.reshape(shape), np.frombuffer(bytearray().join(found), np.uint8)


def packed_texts(texts: Sequence[str], shape: tuple[int, ...] | None = None) -> tuple[Array, Array, Array]:
    """Return the begins and ends, of a shape, and the bytes of texts without gaps between them."""
    joined = "".join(texts)
    if not joined.isascii():
        return packed(map(encoded, texts), shape)
    begins, ends = offsets(np.fromiter(map(len, texts), np.int64, len(texts)))
    shape = (len(texts),) if shape is None else shape
    return begins.reshape(shape), ends.reshape(shape), np.frombuffer(bytearray(joined, "ascii"), np.uint8)


def offsets(lengths: Array) -> tuple[Array, Array]:
    """Return begins and ends, i32, of consecutive parts of these lengths."""
    ends = np.cumsum(lengths, dtype=np.int64)
    return (ends - lengths).astype(np.int32), ends.astype(np.int32)


def gather(begins: Array, ends: Array, data: Array) -> Array:
    """Return the elements of the ranges of ``data``, one after the other."""
    lengths = (ends - begins).astype(np.int64)
    return data[np.repeat(begins - (np.cumsum(lengths) - lengths), lengths) + np.arange(int(lengths.sum()))]


def without_gaps(begins: Array, ends: Array, chars: Array) -> tuple[Array, Array, Array]:
    """Return the same strings, one after the other."""
    first, last = begins.reshape(-1), ends.reshape(-1)
    edges = np.append(first, chars.size)
    if edges[0] == 0 and np.array_equal(edges[1:], last):
        return begins, ends, chars
    packed_begins, packed_ends = offsets(last - first)
    return packed_begins.reshape(begins.shape), packed_ends.reshape(ends.shape), gather(first, last, chars)


def places(begins: Array, ends: Array) -> Array:
    """Return the numbers of all elements of rows: ``begins[0]``, …, ``ends[0]`` - 1, ``begins[1]``, …."""
    begins, ends = begins.reshape(-1), ends.reshape(-1)
    lengths = np.maximum(ends.astype(np.int64) - begins, 0)
    return np.repeat(begins - (np.cumsum(lengths) - lengths), lengths) + np.arange(int(lengths.sum()))


def rows(begins: Array, ends: Array, counts: Array) -> tuple[Array, Array]:
    """Return begins and ends, i32, of rows whose elements are replaced by ``counts`` elements each.

    ``counts`` has an entry for each of ``places(begins, ends)``.
    """
    before = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]).astype(np.int32)
    lengths = np.maximum(ends.reshape(-1).astype(np.int64) - begins.reshape(-1), 0)
    last = np.cumsum(lengths)
    return before[last - lengths].reshape(begins.shape), before[last].reshape(begins.shape)


def joined(parts: Sequence[Sequence[int]]) -> tuple[Array, Array]:
    """Return the number of elements of each part, and the elements of one after the other, i32."""
    return np.fromiter(map(len, parts), np.int64, len(parts)), np.fromiter(chain.from_iterable(parts), np.int32)


class Decoded(NamedTuple):
    """Strings as text; invalid bytes are lone surrogates, as with ``surrogateescape``.

    The character ``j`` of text ``i`` begins at byte ``offsets[firsts[i] + j]``, or ``firsts[i] + j`` without offsets.
    """

    texts: list[str]
    firsts: list[int]
    offsets: Array | None

    def bytes_at(self, characters: Array) -> Array:
        """Return the byte offsets, i32, of characters that are counted from ``firsts``."""
        return (characters if self.offsets is None else self.offsets[characters]).astype(np.int32)


def decoded(begins: Array, ends: Array, chars: Array) -> Decoded:
    """Return strings as text, with the place of each character."""
    first, last = begins.reshape(-1), ends.reshape(-1)
    data = chars.tobytes()
    if data.isascii():
        text, firsts = data.decode("ascii"), first.tolist()
        return Decoded([text[b:e] for b, e in zip(firsts, last.tolist(), strict=True)], firsts, None)
    starts = character_starts(chars)
    if starts is not None and starts.are_at(first) and starts.are_at(last):
        text, firsts = data.decode(), starts.numbers[first].tolist()
        texts = [text[b:e] for b, e in zip(firsts, starts.numbers[last].tolist(), strict=True)]
        return Decoded(texts, firsts, starts.offsets)
    texts = [item.decode("utf-8", "surrogateescape") for item in split(begins, ends, chars)]
    parts = [begin + _offsets_of(item) for begin, item in zip(first.tolist(), texts, strict=True)]
    firsts = [0, *accumulate(map(len, parts))][: len(texts)]
    return Decoded(texts, firsts, np.concatenate(parts) if parts else np.zeros(0, np.int64))


class Starts(NamedTuple):
    """The offset of each character and of the end; for each byte and the end how many characters begin before it."""

    offsets: Array
    numbers: Array

    def are_at(self, offsets: Array) -> bool:
        """Return whether a character begins or the text ends at all of some offsets."""
        return np.array_equal(self.offsets[self.numbers[offsets]], offsets)


def character_starts(chars: Array) -> Starts | None:
    """Return where characters begin; None of bytes that are not UTF-8."""
    try:
        chars.tobytes().decode()
    except UnicodeDecodeError:
        return None
    begins = np.append(chars & 0xC0 != 0x80, True)
    numbers = np.cumsum(begins)
    return Starts(np.flatnonzero(begins), numbers - begins)


def encoded(text: str) -> bytes:
    """Return the bytes of a text; lone surrogates are the bytes that are not UTF-8."""
    return text.encode("utf-8", "surrogateescape")


def utf32(text: str) -> Array:
    """Return the code points of a text."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")


def _offsets_of(text: str) -> Array:
    """Return the offset of each character in the bytes of a text, and the number of bytes."""
    points = utf32(text)
    widths = 1 + (points >= 0x80).astype(np.int64) + (points >= 0x800) + (points >= 0x10000)
    widths[(points >= _ESCAPED[0]) & (points <= _ESCAPED[1])] = 1
    return np.concatenate([[0], np.cumsum(widths)])
