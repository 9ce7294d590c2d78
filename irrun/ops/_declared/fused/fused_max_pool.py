from __future__ import annotations

from irrun.kernels.pooling import max_pool
from irrun.ops import Array
from irrun.ops._declared.convolution.spatial import Windows
from irrun.ops._declared.fused.base import Fused, fused


@fused("FusedMaxPool")
class FusedMaxPool(Fused):
    """The maximum of each window, without indices."""

    kernel: tuple[int, ...]
    windows: Windows

    def run(self, data: Array) -> Array:
        geometry = self.windows.geometry(data.shape[2:], self.kernel)
        return max_pool(data, geometry)
