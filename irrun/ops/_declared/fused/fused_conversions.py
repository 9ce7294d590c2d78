"""Conversions of elements: to levels, back to numbers, and to half precision."""

from __future__ import annotations

from irrun.kernels.casting import bf16_bits, rounded
from irrun.kernels.quantize import Levels
from irrun.ops import Array
from irrun.ops._declared.fused.base import Fused, fused
from irrun.tensor import ElementType
from irrun.tensor.element_type import U16


@fused("FusedQuantize")
class FusedQuantize(Fused):
    """The nearest of some levels, as a byte."""

    levels: Levels

    def run(self, data: Array) -> Array:
        return self.levels.quantize(data)


@fused("FusedDequantize")
class FusedDequantize(Fused):
    """The numbers that levels stand for, as f32."""

    levels: Levels

    def run(self, codes: Array) -> Array:
        return self.levels.dequantize(codes)


@fused("FusedRound")
class FusedRound(Fused):
    """f32 rounded to a precision: as f32, or as the bits of bf16 if the fact says u16."""

    precision: ElementType

    def run(self, data: Array) -> Array:
        return bf16_bits(data) if self.fact.type is U16 else rounded(data, self.precision.name)
