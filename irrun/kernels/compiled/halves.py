"""Pairs of numbers in half precision."""

from __future__ import annotations

from typing import Any

from irrun.kernels.compiled.micro import AS_BITS, round_row
from irrun.kernels.compiled.native import inlined, intrinsic, octets
from irrun.kernels.compiled.vectors import Vectors


@inlined
def round_pairs(x: int, count: int, out: int) -> int:
    """Write f32 as words of two bf16, the last one with a zero where the number is odd; return where they are.

    ``out`` may be ``x``.
    """
    round_row(AS_BITS, x, out, count)
    if count % 2 != 0:
        octets(out + 2 * count, 2)[:] = 0
    return out


@intrinsic("void", *["int64"] * 4)
def pair_rows(v: Vectors, lower: Any, upper: Any, out: Any, count: Any) -> None:
    """Write words of two bf16: an f32 of one row, and of another, which is zeros if its address is 0."""
    builder = v.builder

    def pair(first: Any, mask: Any) -> None:
        beyond = builder.mul(first, v.constant(4))
        second = v.variable(v.every(0.0))
        with builder.if_then(v.is_given(upper)):
            builder.store(v.load(builder.add(upper, beyond), 0, mask), second)
        words = v.paired(v.load(builder.add(lower, beyond), 0, mask), builder.load(second))
        v.store(words, builder.add(out, beyond), 0, mask)

    v.for_each_vector(count, pair)
