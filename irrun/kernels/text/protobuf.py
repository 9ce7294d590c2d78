"""Fields of messages in the format of Protocol Buffers."""

from __future__ import annotations

import struct
from collections.abc import Iterator

Value = int | float | bytes


def fields(data: bytes) -> Iterator[tuple[int, Value]]:
    """Yield the number and the value of each field; ValueError where the message is malformed."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        kind = tag & 7
        value: Value
        if kind == 0:
            value, at = _varint(data, at)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
            if at + size > len(data):
                raise ValueError("a number is cut off")
            value, at = struct.unpack_from("<d" if kind == 1 else "<f", data, at)[0], at + size
        elif kind == 2:
            size, at = _varint(data, at)
            if at + size > len(data):
                raise ValueError(f"a field of {size} bytes is cut off")
            value, at = data[at : at + size], at + size
        else:
            raise ValueError(f"there is no wire type {kind}")
        yield tag >> 3, value


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return an integer of 64 bits with sign, and where it ends."""
    value = shift = 0
    while at < len(data) and shift < 70:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            value &= (1 << 64) - 1
            return value - (1 << 64) if value >> 63 else value, at
    raise ValueError("an integer is cut off")
