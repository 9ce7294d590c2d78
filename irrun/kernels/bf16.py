"""Operands of products in half precision: rounded to nearest even, as f32, or as the bits of bf16."""

from __future__ import annotations

import numpy as np

from irrun.kernels.threads import Array


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
    bits = x.astype(np.float32, copy=False).view(np.uint32)
    nearest = (bits + ((bits >> 16) & 1) + np.uint32(0x7FFF)) >> 16
    nearest = np.where((bits & 0x7F800000) == 0, (bits >> 16) & 0x8000, nearest)
    return np.where(np.isnan(x), (bits >> 16) | 0x40, nearest).astype(np.uint16)


def widened(bits: Array) -> Array:
    """Return the f32 that the bits of bf16 mean."""
    return (bits.astype(np.uint32) << 16).view(np.float32)
