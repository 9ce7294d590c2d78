"""FarmHash Fingerprint64 (the variant "na"), from the description of its authors."""

from __future__ import annotations

from typing import Final

_K0: Final = 0xC3A5C85C97CB3127
_K1: Final = 0xB492B66FBE98F273
_K2: Final = 0x9AE16A3B2F90404F
_MASK: Final = (1 << 64) - 1


def fingerprint64(text: bytes) -> int:
    """Return the 64-bit fingerprint of a text, unsigned."""
    size = len(text)
    if size <= 16:
        return _up_to_16(text)
    if size <= 32:
        return _up_to_32(text)
    if size <= 64:
        return _up_to_64(text)
    return _long(text)


def _word(text: bytes, at: int) -> int:
    return int.from_bytes(text[at : at + 8], "little")


def _half(text: bytes, at: int) -> int:
    return int.from_bytes(text[at : at + 4], "little")


def _rotate(value: int, by: int) -> int:
    value &= _MASK
    return (value >> by | value << (64 - by)) & _MASK


def _mix(value: int) -> int:
    value &= _MASK
    return value ^ value >> 47


def _hash16(low: int, high: int, factor: int) -> int:
    first = _mix((low ^ high) * factor)
    return _mix((high ^ first) * factor) * factor & _MASK


def _up_to_16(text: bytes) -> int:
    size = len(text)
    if size >= 8:
        factor = _K2 + size * 2
        first, last = _word(text, 0) + _K2, _word(text, size - 8)
        low = _rotate(last, 37) * factor + first
        high = (_rotate(first, 25) + last) * factor
        return _hash16(low & _MASK, high & _MASK, factor)
    if size >= 4:
        return _hash16(size + (_half(text, 0) << 3), _half(text, size - 4), _K2 + size * 2)
    if size > 0:
        low = text[0] + (text[size >> 1] << 8)
        high = size + (text[size - 1] << 2)
        return _mix(low * _K2 ^ high * _K0) * _K2 & _MASK
    return _K2


def _up_to_32(text: bytes) -> int:
    size = len(text)
    factor = _K2 + size * 2
    a, b = _word(text, 0) * _K1 & _MASK, _word(text, 8)
    c, d = _word(text, size - 8) * factor & _MASK, _word(text, size - 16) * _K2 & _MASK
    low = _rotate(a + b, 43) + _rotate(c, 30) + d
    high = a + _rotate(b + _K2, 18) + c
    return _hash16(low & _MASK, high & _MASK, factor)


def _up_to_64(text: bytes) -> int:
    size = len(text)
    factor = _K2 + size * 2
    a, b = _word(text, 0) * _K2 & _MASK, _word(text, 8)
    c, d = _word(text, size - 8) * factor & _MASK, _word(text, size - 16) * _K2 & _MASK
    y = (_rotate(a + b, 43) + _rotate(c, 30) + d) & _MASK
    z = _hash16(y, (a + _rotate(b + _K2, 18) + c) & _MASK, factor)
    e, f = _word(text, 16) * factor & _MASK, _word(text, 24)
    g, h = (y + _word(text, size - 32)) * factor & _MASK, (z + _word(text, size - 24)) * factor & _MASK
    low = _rotate(e + f, 43) + _rotate(g, 30) + h
    high = e + _rotate(f + a, 18) + g
    return _hash16(low & _MASK, high & _MASK, factor)


def _weak(text: bytes, at: int, a: int, b: int) -> tuple[int, int]:
    """Return two words that depend on 32 bytes and two seeds."""
    w, x, y, z = (_word(text, at + 8 * index) for index in range(4))
    a += w
    b = _rotate(b + a + z, 21)
    start = a
    a += x + y
    b += _rotate(a, 44)
    return (a + z) & _MASK, (b + start) & _MASK


def _long(text: bytes) -> int:
    size = len(text)
    seed = 81
    x = seed * _K2 + _word(text, 0)
    y = (seed * _K1 + 113) & _MASK
    z = _mix(y * _K2 + 113) * _K2 & _MASK
    v, w = (0, 0), (0, 0)
    end = (size - 1) // 64 * 64
    for at in range(0, end, 64):
        x = _rotate(x + y + v[0] + _word(text, at + 8), 37) * _K1
        y = _rotate(y + v[1] + _word(text, at + 48), 42) * _K1
        x ^= w[1]
        y += v[0] + _word(text, at + 40)
        z = _rotate(z + w[0], 33) * _K1
        v = _weak(text, at, v[1] * _K1, x + w[0])
        w = _weak(text, at + 32, z + w[1], y + _word(text, at + 16))
        x, z = z & _MASK, x & _MASK
        y &= _MASK
    factor = _K1 + ((z & 0xFF) << 1)
    at = size - 64
    w = ((w[0] + ((size - 1) & 63)) & _MASK, w[1])
    v = ((v[0] + w[0]) & _MASK, v[1])
    w = ((w[0] + v[0]) & _MASK, w[1])
    x = _rotate(x + y + v[0] + _word(text, at + 8), 37) * factor
    y = _rotate(y + v[1] + _word(text, at + 48), 42) * factor
    x ^= w[1] * 9
    y += v[0] * 9 + _word(text, at + 40)
    z = _rotate(z + w[0], 33) * factor
    v = _weak(text, at, v[1] * factor, x + w[0])
    w = _weak(text, at + 32, z + w[1], y + _word(text, at + 16))
    x, z = z & _MASK, x & _MASK
    low = _hash16(v[0], w[0], factor) + _mix(y) * _K0 + z
    high = _hash16(v[1], w[1], factor) + x
    return _hash16(low & _MASK, high & _MASK, factor)
