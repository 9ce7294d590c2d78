from __future__ import annotations

import numpy as np

from irrun.kernels.quantize import Levels
from irrun.ops import Array, Fact
from irrun.ops._declared.fused.base import Fused, fused


@fused("FusedQuantize")
class FusedQuantize(Fused):
    """The nearest of some levels, as a byte."""

    def __init__(self, fact: Fact, levels: Levels) -> None:
        super().__init__(fact)
        self.levels = levels

    def run(self, data: Array) -> Array:
        out = np.empty_like(data, np.uint8)
        self.levels.quantize(data, out)
        return out
