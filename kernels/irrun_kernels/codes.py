"""The forms of weights of few bits: how the codes in words become f32."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from irrun_kernels import ir
from irrun_kernels.host import LANES
from irrun_kernels.vectors import Vectors


class Form(NamedTuple):
    """A form of codes of ``bits``: places in a table of 16 f32, finite floats with ``exponent_bits``, or integers."""

    bits: int
    exponent_bits: int = 0
    has_table: bool = False

    def table(self, v: Vectors, address: Any) -> list[Any]:
        """Emit what a loop needs before it: the table, if there is one.

        With AVX-512, integers of 4 bits have one: a permutation takes the place of two shifts and a conversion.
        """
        if self.has_table:
            return v.load_table(address)
        return [ir.Constant(v.vector, [*range(8), *range(-8, 0)])] if self.bits == 4 and LANES == 16 else []

    def numbers(self, v: Vectors, table: Sequence[Any], words: Any, place: int) -> Any:
        """Emit the f32 that the codes at a place of each word stand for; place 0 is that of the lowest bits."""
        builder = v.builder
        if table:
            return v.look_up(table, builder.lshr(words, v.each(self.bits * place)) if place else words)
        above = 32 - self.bits * (place + 1)
        highest = builder.shl(words, v.each(above)) if above else words
        if not self.exponent_bits:
            return builder.sitofp(builder.ashr(highest, v.each(32 - self.bits)), v.vector)
        # With its exponent where f32 has one, a float is too small by the difference of both biases.
        shift, bias = 8 - self.exponent_bits, (1 << (self.exponent_bits - 1)) - 1
        bits = builder.and_(builder.ashr(highest, v.each(shift)), v.each(0x80000000 | 0x7F000000 >> shift))
        return builder.fmul(builder.bitcast(bits, v.vector), v.every(2.0 ** (127 - bias)))


FORMS: Final = {
    "integers of 4 bits": Form(4),
    "integers of 8 bits": Form(8),
    "table": Form(4, has_table=True),
    "f8e4m3": Form(8, exponent_bits=4),
    "f8e5m2": Form(8, exponent_bits=5),
}

NUMBERS: Final = {name: number for number, name in enumerate(FORMS)}
"""Kernels choose forms by these."""
