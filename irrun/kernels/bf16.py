"""Operands of products in half precision: rounded to nearest even, as f32, or as the bits of bf16."""

from __future__ import annotations

from typing import Final

import numpy as np

from irrun.kernels.threads import Array

_BLOCK: Final = 1 << 17
"""Elements rounded at a time, roughly: each takes several numbers on the way."""


def rounded(x: Array, precision: str) -> Array:
    """Return f32 rounded to the numbers of f32, bf16 or f16, as f32."""
    if precision == "bf16":
        return widened(bf16_bits(x))
    if precision == "f16":
        with np.errstate(over="ignore", under="ignore"):
            return x.astype(np.float16).astype(np.float32)
    return x


def bf16_bits(x: Array) -> Array:
    """Return the bits of f32 rounded to bf16; numbers below 2**-126 become zero, as in processors."""
    x = np.asarray(x, np.float32)
    out = np.empty_like(x, np.uint16)
    parts, targets = np.atleast_1d(x, out)
    step = max(1, _BLOCK // max(parts[:1].size, 1))
    for first in range(0, len(parts), step):
        _round(parts[first : first + step], targets[first : first + step])
    return out


def _round(x: Array, out: Array) -> None:
    bits = x.view(np.uint32)
    exponent = bits & 0x7F800000
    nearest = bits >> 16
    nearest &= 1
    nearest += bits
    nearest += 0x7FFF
    nearest >>= 16
    if exponent.min(initial=1) == 0:
        nearest = np.where(exponent == 0, (bits >> 16) & 0x8000, nearest)
    if exponent.max(initial=0) == 0x7F800000:
        nearest = np.where(np.isnan(x), (bits >> 16) | 0x40, nearest)
    np.copyto(out, nearest, casting="same_kind")


def widened(bits: Array) -> Array:
    """Return the f32 that the bits of bf16 mean."""
    wide = bits.astype(np.uint32)
    wide <<= 16
    return wide.view(np.float32)
