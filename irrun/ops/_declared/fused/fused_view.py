from __future__ import annotations

from irrun.ops import Array, Fact, Fold
from irrun.ops._declared.fused.base import Fused, fused


@fused("FusedView")
class FusedView(Fused):
    """A view of a tensor in another known shape, or with its axes in another order."""

    foldable = Fold.DIMS

    def __init__(self, fact: Fact, shape: tuple[int, ...] | None, order: tuple[int, ...] | None) -> None:
        super().__init__(fact)
        self.shape = shape
        self.order = order

    def run(self, data: Array) -> Array:
        return data.transpose(self.order) if self.shape is None else data.reshape(self.shape)
