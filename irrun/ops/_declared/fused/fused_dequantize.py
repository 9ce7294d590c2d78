from __future__ import annotations

import numpy as np

from irrun.kernels.quantize import Levels
from irrun.ops import Array, Fact
from irrun.ops._declared.fused.base import Fused, fused


@fused("FusedDequantize")
class FusedDequantize(Fused):
    """The numbers that levels stand for, as f32."""

    def __init__(self, fact: Fact, levels: Levels) -> None:
        super().__init__(fact)
        self.levels = levels

    def run(self, codes: Array) -> Array:
        return self.levels.dequantize(codes, np.empty_like(codes, np.float32))
