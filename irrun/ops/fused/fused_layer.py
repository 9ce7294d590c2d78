"""Single layers whose kernels take their results from memory and share their work."""

from __future__ import annotations

from collections.abc import Callable

from irrun.ops import Array, Fact
from irrun.ops.fused.base import Fused, Memory, fused

Kernel = Callable[[Array, Memory], Array]
"""Gives the result for the data."""


class FusedLayer(Fused):
    """A layer with one input, and its kernel."""

    def __init__(self, fact: Fact, kernel: Kernel) -> None:
        super().__init__(fact)
        self.kernel = kernel

    def run(self, data: Array, *, memory: Memory) -> Array:
        return self.kernel(data, memory)


@fused("FusedAvgPool")
class FusedAvgPool(FusedLayer):
    """The mean of each window."""


@fused("FusedLRN")
class FusedLRN(FusedLayer):
    """Local response normalization."""


@fused("FusedReduceMean")
class FusedReduceMean(FusedLayer):
    """The mean of each channel."""


@fused("FusedShuffleChannels")
class FusedShuffleChannels(FusedLayer):
    """Channels, one of each group in turn."""


@fused("FusedSoftMax")
class FusedSoftMax(FusedLayer):
    """Exponentials along an axis, divided by their sum."""
