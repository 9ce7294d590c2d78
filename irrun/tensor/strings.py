"""The layout of string tensors in the .bin file.

All integers are unsigned, 32 bits, little-endian: the number n of strings, then n + 1 offsets, the first of them 0,
then the characters as UTF-8. String i is the bytes from offset i to offset i + 1, counted from the first character
byte.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irrun.tensor.packing import Bytes

_WORD = np.dtype("<u4")


def unpack_strings(data: Bytes) -> NDArray[np.object_]:
    """Decode the strings in `data` into a flat object array of str. Bytes that are not UTF-8 become lone surrogates.

    `data` may begin at any address, and bytes after the last string are ignored. ValueError where it is truncated, or
    the offsets do not begin at 0, decrease, or exceed its end.
    """
    raw = np.frombuffer(data, np.uint8).tobytes()
    if len(raw) < _WORD.itemsize:
        raise ValueError(f"string data is truncated: {len(raw)} bytes, expected at least 4 for the number of strings")
    count = int.from_bytes(raw[: _WORD.itemsize], "little")
    first = _WORD.itemsize * (count + 2)
    if len(raw) < first:
        raise ValueError(
            f"string data is truncated: {len(raw)} bytes, expected at least {first} for the offsets of {count} strings"
        )
    offsets = np.frombuffer(raw, _WORD, count + 1, _WORD.itemsize).tolist()
    _check_offsets(offsets, len(raw) - first)
    strings = np.empty(count, object)
    for index in range(count):
        characters = raw[first + offsets[index] : first + offsets[index + 1]]
        strings[index] = characters.decode("utf-8", "surrogateescape")
    return strings


def pack_strings(array: NDArray[Any]) -> bytes:
    """Encode the strings of `array` in row-major order as the .bin file stores them; the inverse of `unpack_strings`.

    TypeError for an element that is not a str, ValueError where the strings need 4 GiB or more.
    """
    encoded = [_encode(element) for element in array.reshape(-1).tolist()]
    offsets = np.cumsum([0, *map(len, encoded)], dtype=np.uint64)
    if offsets[-1] > np.iinfo(_WORD).max:
        raise ValueError(f"the strings take {offsets[-1]} bytes, expected less than 4 GiB")
    return len(encoded).to_bytes(_WORD.itemsize, "little") + offsets.astype(_WORD).tobytes() + b"".join(encoded)


def _check_offsets(offsets: list[int], size: int) -> None:
    if offsets[0] != 0:
        raise ValueError(f"string offset 0 is {offsets[0]}, expected 0")
    for index, (begin, end) in enumerate(pairwise(offsets), 1):
        if end < begin:
            raise ValueError(f"string offset {index} is {end}, expected at least {begin}, the offset before it")
        if end > size:
            raise ValueError(f"string offset {index} is {end}, expected at most {size}, the bytes of characters")


def _encode(element: object) -> bytes:
    if not isinstance(element, str):
        raise TypeError(f"string tensors hold str, got {type(element).__name__}")
    return element.encode("utf-8", "surrogateescape")
