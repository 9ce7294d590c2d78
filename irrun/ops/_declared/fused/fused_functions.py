"""Functions of one tensor that several layers compute: activations, normalization, pooling, rotation."""

from __future__ import annotations

import numpy as np

from irrun.kernels.activation import prelu
from irrun.kernels.elementwise import Elementwise
from irrun.kernels.normalization import mean_variance
from irrun.kernels.pooling import axis_windows, max_pool
from irrun.ops import Array
from irrun.ops._declared.convolution.spatial import Windows
from irrun.ops._declared.fused.base import Fused, fused


@fused("FusedLeakyReLU")
class FusedLeakyReLU(Fused):
    """x, or slope * x where x is negative, with the same slope everywhere."""

    slope: float

    def run(self, data: Array) -> Array:
        return prelu(data, self.slope)

    def elementwise(self) -> Elementwise:
        slope = self.slope
        return Elementwise("prelu", (slope,), lambda x: prelu(x, slope))


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


@fused("FusedMaxPool")
class FusedMaxPool(Fused):
    """The maximum of each window, without indices."""

    kernel: tuple[int, ...]
    windows: Windows

    def run(self, data: Array) -> Array:
        return max_pool(data, axis_windows(self.windows.geometry(data.shape[2:], self.kernel)))


@fused("FusedRotary")
class FusedRotary(Fused):
    """Rotary embedding (Su et al., 2021) of f32 [..., 2 * n]: x * cos + (-second half, first half of x) * sin."""

    def run(self, x: Array, cos: Array, sin: Array) -> Array:
        half = x.shape[-1] // 2
        out = np.empty(np.broadcast_shapes(x.shape, cos.shape, sin.shape), x.dtype)
        np.multiply(x, cos, out=out)
        out[..., :half] -= x[..., half:] * sin[..., :half]
        out[..., half:] += x[..., :half] * sin[..., half:]
        return out
