from __future__ import annotations

from irrun.kernels.pooling import max_pool
from irrun.ops import Array, Fact
from irrun.ops._declared.convolution.spatial import Windows
from irrun.ops._declared.fused.base import Fused, fused


@fused("FusedMaxPool")
class FusedMaxPool(Fused):
    """The maximum of each window, without indices."""

    def __init__(self, fact: Fact, kernel: tuple[int, ...], windows: Windows) -> None:
        super().__init__(fact)
        self.kernel = kernel
        self.windows = windows

    def run(self, data: Array) -> Array:
        geometry = self.windows.geometry(data.shape[2:], self.kernel)
        return max_pool(data, geometry)
