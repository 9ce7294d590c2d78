from __future__ import annotations

import numpy as np

from irrun.kernels.normalization import layer_norm
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
        if data.size == 0:
            return np.empty_like(data)
        source = data.reshape(-1, data.shape[-1])
        target = np.empty_like(source)
        layer_norm(source, self.gamma, self.beta, self.eps, self.eps_outside, self.centred, target)
        return target.reshape(data.shape)
