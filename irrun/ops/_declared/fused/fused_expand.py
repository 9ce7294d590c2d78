from __future__ import annotations

import numpy as np

from irrun.ops import Array
from irrun.ops._declared.fused.base import Fused, fused

KEPT = (0, 1, 3, 4)
"""The axes of the target that are axes of keys: all but the one along which heads are repeated."""


@fused("FusedExpand")
class FusedExpand(Fused):
    """Keys or values [batch, heads, length, depth] of the sizes of a target [batch, heads, copies, length, depth].

    Those of size 1 are repeated, as Broadcast does; as a rule all sizes are equal, which only a run can tell.
    """

    def run(self, data: Array, target: Array) -> Array:
        return np.broadcast_to(data, np.broadcast_shapes(data.shape, tuple(target[[*KEPT]].tolist())))
