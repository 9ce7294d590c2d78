from __future__ import annotations

import numpy as np

from irrun.kernels.bf16 import bf16_bits, rounded
from irrun.ops import Array, Fact
from irrun.ops._declared.fused.base import Fused, fused
from irrun.tensor import ElementType
from irrun.tensor.element_type import U16


@fused("FusedRound")
class FusedRound(Fused):
    """f32 rounded to a precision: as f32, or as the bits of bf16 if the fact says u16."""

    def __init__(self, fact: Fact, precision: ElementType) -> None:
        super().__init__(fact)
        self.precision = precision

    def run(self, data: Array) -> Array:
        out = np.empty_like(data, self.fact.type.dtype)
        np.copyto(out, bf16_bits(data) if self.fact.type is U16 else rounded(data, self.precision.name))
        return out
