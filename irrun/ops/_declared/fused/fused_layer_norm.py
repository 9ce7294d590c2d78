from __future__ import annotations

from irrun.kernels.normalization import mean_variance
from irrun.ops import Array
from irrun.ops._declared.fused.base import Fused, fused


@fused("FusedLayerNorm")
class FusedLayerNorm(Fused):
    """Normalization along the last axis by mean and variance, then scale and shift.

    Without ``centred`` the mean is taken as zero. ``gamma`` and ``beta`` are rows.
    """

    gamma: Array | None
    beta: Array | None
    eps: float
    eps_outside: bool
    centred: bool

    def run(self, data: Array) -> Array:
        result = mean_variance(data, (-1,), self.eps, self.eps_outside, centred=self.centred)
        if self.gamma is not None:
            result *= self.gamma
        if self.beta is not None:
            result += self.beta
        return result
