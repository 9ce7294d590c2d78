from __future__ import annotations

import numpy as np

from irrun.ops import Array
from irrun.ops._declared.fused.base import Fused, fused


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
