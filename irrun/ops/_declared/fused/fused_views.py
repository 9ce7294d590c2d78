"""Tensors that are views of others."""

from __future__ import annotations

import numpy as np

from irrun.ops import Array, Fold
from irrun.ops._declared.fused.base import Fused, fused


@fused("FusedView")
class FusedView(Fused):
    """A view of a tensor in another known shape, or with its axes in another order."""

    foldable = Fold.DIMS

    shape: tuple[int, ...] | None
    order: tuple[int, ...] | None

    def run(self, data: Array) -> Array:
        return data.transpose(self.order) if self.shape is None else data.reshape(self.shape)


KEPT = (0, 1, 3, 4)
"""The axes of the target that are axes of keys: all but the one along which heads are repeated."""


@fused("FusedExpand")
class FusedExpand(Fused):
    """Keys or values [batch, heads, length, depth] of the sizes of a target [batch, heads, copies, length, depth].

    Those of size 1 are repeated, as Broadcast does; as a rule all sizes are equal, which only a run can tell.
    """

    def run(self, data: Array, target: Array) -> Array:
        return np.broadcast_to(data, np.broadcast_shapes(data.shape, tuple(target[[*KEPT]].tolist())))


@fused("FusedChannels")
class FusedChannels(Fused):
    """The channels [N, C, *S] from ``start`` to ``stop``, as a view."""

    start: int
    stop: int

    def run(self, data: Array) -> Array:
        return data[:, self.start : self.stop]
