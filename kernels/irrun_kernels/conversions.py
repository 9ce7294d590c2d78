"""Conversions of rows of f32, to half precision or to levels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from irrun_kernels.native import floats, inlined, intrinsic, octets, strict
from irrun_kernels.vectors import Vectors, bytes_of

AS_BITS, AS_FLOATS, AS_F16 = range(3)
"""Forms of rounded f32: the bits of bf16, and f32 that bf16 or f16 hold."""


@intrinsic("void", *["int64"] * 4)
def round_row(v: Vectors, form: Any, x: Any, out: Any, count: Any) -> None:
    """Write ``count`` rounded f32 in a form."""
    functions = {AS_BITS: v.rounded, AS_FLOATS: lambda value: v.unpacked(v.rounded(value)), AS_F16: v.rounded_to_f16}
    for (number,) in v.variants((form,), ((form,) for form in functions)):
        _convert_row(v, x, out, count, v.vector, functions[number])


@intrinsic("void", *["int64"] * 3, *["float32"] * 3, "int64")
def quantize_row(v: Vectors, x: Any, out: Any, count: Any, low: Any, high: Any, most: Any, factors: Any) -> None:
    """Write the levels, from 0 to ``most``, of ``count`` f32 from ``low`` to ``high`` as bytes.

    Numbers are first multiplied by those of a row with the address ``factors``, if that is not 0.
    """
    builder = v.builder
    least, largest, steps = v.splat(low), v.splat(high), v.splat(most)
    span = v.splat(builder.fsub(high, low))

    def level(value: Any) -> Any:
        above = builder.fsub(v.smallest(v.largest(value, least), largest), least)
        return v.nearest(builder.fmul(builder.fdiv(above, span), steps), steps)

    def scaled(first: Any, mask: Any) -> None:
        values = (v.load(v.beyond(row, first, 4), 0, mask) for row in (x, factors))
        v.store(level(builder.fmul(*values)), v.beyond(out, first, 1), 0, mask)

    with builder.if_else(v.is_given(factors)) as (with_factors, without):
        with with_factors:
            v.for_each_vector(count, scaled)
        with without:
            _convert_row(v, x, out, count, v.vector, level)


@inlined
def quantize(out: int, x: int, low: int, high: int, most: int, count: int) -> None:
    """The same with the addresses of three numbers."""
    quantize_row(x, out, count, floats(low, 1)[0], floats(high, 1)[0], floats(most, 1)[0], 0)


@strict
def dequantize(level: Any, low: Any, span: Any, most: Any) -> Any:
    """The number that a level from 0 to ``most`` stands for: from ``low`` on, as far as ``span``."""
    return np.float32(level) / most * span + low


def rounding(form: int) -> Callable[..., None]:
    """A function that writes ``count`` rounded f32 in a form, given the addresses of the result and of these."""
    return inlined(lambda out, x, count: round_row(form, x, out, count))


def _convert_row(v: Vectors, x: Any, out: Any, count: Any, source: Any, function: Callable[[Any], Any]) -> None:
    def convert(first: Any, mask: Any) -> None:
        value = function(v.load(v.beyond(x, first, bytes_of(source)), 0, mask, source))
        v.store(value, v.beyond(out, first, bytes_of(value.type)), 0, mask)

    v.for_each_vector(count, convert)


@inlined
def round_row_to_bf16(x: int, count: int, out: int) -> int:
    """Write f32 as words of two bf16, the last one with a zero where the number is odd; return where they are.

    ``out`` may be ``x``.
    """
    round_row(AS_BITS, x, out, count)
    if count % 2 != 0:
        octets(out + 2 * count, 2)[:] = 0
    return out


@intrinsic("void", *["int64"] * 4)
def interleave_rows(v: Vectors, lower: Any, upper: Any, out: Any, count: Any) -> None:
    """Write words of two bf16: an f32 of one row, and of another, which is zeros if its address is 0."""

    def pair(first: Any, mask: Any) -> None:
        second = v.variable(v.every(0.0))
        with v.builder.if_then(v.is_given(upper)):
            v.builder.store(v.load(v.beyond(upper, first, 4), 0, mask), second)
        words = v.paired(v.load(v.beyond(lower, first, 4), 0, mask), v.builder.load(second))
        v.store(words, v.beyond(out, first, 4), 0, mask)

    v.for_each_vector(count, pair)
