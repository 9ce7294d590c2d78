from __future__ import annotations

from irrun.ops import Array, Fact
from irrun.ops._declared.fused.base import Fused, fused


@fused("FusedChannels")
class FusedChannels(Fused):
    """The channels [N, C, *S] from ``start`` to ``stop``, as a view."""

    def __init__(self, fact: Fact, start: int, stop: int) -> None:
        super().__init__(fact)
        self.start = start
        self.stop = stop

    def run(self, data: Array) -> Array:
        return data[:, self.start : self.stop]
