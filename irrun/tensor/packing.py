"""The layout of tensors in the .bin file: bytes to arrays in the carrier dtype of an element type.

Numbers are little-endian and follow each other without gaps or alignment. Types below a byte share bytes:

* u4, i4, nf4, f4e2m1: two values a byte, the first in the low nibble.
* u2: four a byte, the first in the lowest bits. u1: eight a byte, the first in the highest bit.
* u3: eight values in three bytes. The first two bytes hold the low two bits of each value, the third byte the high
  bits, the first value in the highest bits each time.
* u6: four values in three bytes, likewise with four low bits in the first two bytes and two high bits in the third.

The last byte or group is filled up with zeros. A boolean is one byte. Strings: see `irrun.tensor.strings`.
"""

from __future__ import annotations

import mmap
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8] | bytes | bytearray | memoryview | mmap.mmap

STORED_AS_CARRIED: dict[str, np.dtype[Any]] = {
    "f32": np.dtype("<f4"),
    "f64": np.dtype("<f8"),
    "i8": np.dtype("<i1"),
    "i16": np.dtype("<i2"),
    "i32": np.dtype("<i4"),
    "i64": np.dtype("<i8"),
    "u8": np.dtype("<u1"),
    "u16": np.dtype("<u2"),
    "u32": np.dtype("<u4"),
    "u64": np.dtype("<u8"),
}
STORED_AS_CODES: dict[str, np.dtype[Any]] = {
    "f16": np.dtype("<u2"),
    "bf16": np.dtype("<u2"),
    "f8e4m3": np.dtype("<u1"),
    "f8e5m2": np.dtype("<u1"),
    "f8e8m0": np.dtype("<u1"),
}
SHIFTS_IN_BYTE: dict[str, tuple[int, ...]] = {
    "u4": (0, 4),
    "i4": (0, 4),
    "nf4": (0, 4),
    "f4e2m1": (0, 4),
    "u2": (0, 2, 4, 6),
    "u1": (7, 6, 5, 4, 3, 2, 1, 0),
}
SPLIT_BITS = {"u3": (2, 1), "u6": (4, 2)}


LEFT = 1 << 16
"""Values of at least this many bytes are not copied where they are not aligned: NumPy and the kernels read them so."""


def storage_size(element_type: str, count: int) -> int:
    """Return the number of bytes of `count` values in the .bin file, in whole groups for types below a byte.

    ValueError for string, which has no fixed size, and for unknown element types.
    """
    values, size = group_of(element_type)
    return -(-count // values) * size


def unpack(data: Bytes, element_type: str, count: int) -> NDArray[Any]:
    """Decode the first `count` values in `data` into a flat array in the carrier dtype of `element_type`.

    `data` is contiguous; it may begin at any address, and bytes after the last value are ignored. Where the stored and
    the carrier dtype agree, the result is a view of it, unless it is small and not aligned. Bytes of a boolean other
    than 0 and 1 count as true.

    ValueError for a negative count, too few bytes, string and unknown element types.
    """
    raw = _raw(data, element_type, count)
    if element_type == "boolean":
        return raw.view(np.bool_) if raw.max(initial=0) <= 1 else raw != 0
    if element_type in STORED_AS_CARRIED:
        return _native(raw, STORED_AS_CARRIED[element_type])
    if element_type in STORED_AS_CODES:
        from irrun.tensor.rounding import decode

        return decode(_native(raw, STORED_AS_CODES[element_type]), element_type)
    if element_type in SPLIT_BITS:
        return _unpack_split(raw, *SPLIT_BITS[element_type])[:count]
    words, carrier = _byte_table(element_type)
    return words.take(raw).view(carrier)[:count]


def halves(data: Bytes, count: int) -> NDArray[np.float16]:
    """Return the first `count` values of type f16 in `data` as float16.

    It is a view of `data`, unless it is small and not aligned. ValueError under the conditions of `unpack`.
    """
    return _native(_raw(data, "f16", count), STORED_AS_CODES["f16"]).view(np.float16)


def _raw(data: Bytes, element_type: str, count: int) -> NDArray[np.uint8]:
    """Return the bytes of `count` values; ValueError where `count` is negative or `data` too short."""
    raw = np.frombuffer(data, np.uint8)
    if count < 0:
        raise ValueError(f"the number of {element_type} values is {count}, expected 0 or more")
    size = storage_size(element_type, count)
    if raw.size < size:
        raise ValueError(f"{count} {element_type} values in {raw.size} bytes, expected at least {size} bytes")
    return raw[:size]


def group_of(element_type: str) -> tuple[int, int]:
    """Return the smallest number of values that fills whole bytes, and that number of bytes."""
    if element_type == "boolean":
        return 1, 1
    if element_type in SPLIT_BITS:
        return 8 // SPLIT_BITS[element_type][1], 3
    if element_type in SHIFTS_IN_BYTE:
        return len(SHIFTS_IN_BYTE[element_type]), 1
    dtype = STORED_AS_CARRIED.get(element_type) or STORED_AS_CODES.get(element_type)
    if dtype is None:
        fault = "string values have no fixed size" if element_type == "string" else f'no element type "{element_type}"'
        raise ValueError(fault)
    return 1, dtype.itemsize


def _native(raw: NDArray[np.uint8], stored: np.dtype[Any]) -> NDArray[Any]:
    values = raw.view(stored).astype(stored.newbyteorder("="), copy=False)
    return values if values.flags.aligned or values.nbytes >= LEFT else values.copy()


@cache
def _byte_table(element_type: str) -> tuple[NDArray[Any], np.dtype[Any]]:
    """Return, for each byte, its values packed into one unsigned word, and the dtype of the values."""
    shifts = np.array(SHIFTS_IN_BYTE[element_type], np.uint8)
    mask = (1 << 8 // len(shifts)) - 1
    codes = np.arange(256)[:, None] >> shifts & mask
    from irrun.tensor.rounding import decode

    values = decode(codes.astype(np.uint8), element_type)
    word = np.dtype(f"u{values.itemsize * len(shifts)}")
    return values.view(word).reshape(-1), values.dtype


def _unpack_split(raw: NDArray[np.uint8], low_bits: int, high_bits: int) -> NDArray[np.uint8]:
    groups = raw.reshape(-1, 3)
    low = groups[:, :2, None] >> shifts_down(low_bits) & ((1 << low_bits) - 1)
    high = groups[:, 2:] >> shifts_down(high_bits) & ((1 << high_bits) - 1)
    return (low.reshape(high.shape) | high << low_bits).astype(np.uint8, copy=False).reshape(-1)


def shifts_down(bits: int) -> NDArray[np.uint8]:
    return np.arange(8 - bits, -1, -bits).astype(np.uint8)
