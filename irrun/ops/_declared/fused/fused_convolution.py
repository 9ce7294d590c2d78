from __future__ import annotations

import math
from functools import cached_property
from typing import Final, Self

from irrun.kernels.convolution import Convolution
from irrun.kernels.elementwise import Elementwise, in_place
from irrun.ops import Array, Fact
from irrun.ops._declared.convolution.base import Convolving
from irrun.ops._declared.fused.base import fused
from irrun.ops._declared.fused.fused_product import FusedProduct
from irrun.ops.work import Sizes
from irrun.tensor import ElementType

FEW_CHANNELS: Final = 16
"""Channels below which a tap has too few to be multiplied by itself."""


@fused("FusedConvolution")
class FusedConvolution(FusedProduct):
    """A convolution with constant weights, an optional summand and an activation, in one kernel.

    ``weights`` are [G, O, I, *K], ``bias`` is [G * O]. Inputs are the data, and a summand in the shape of the output.
    The data are first clipped from below to ``least``, one number for each channel.
    """

    reads_slices = True

    def __init__(
        self,
        fact: Fact,
        source: Convolving,
        weights: Array,
        bias: Array | None,
        activation: Elementwise | None,
        accurate: bool,
        least: Array | None = None,
    ) -> None:
        super().__init__(fact, weights)
        self.source = source
        self.bias = bias
        self.activation = activation
        self.accurate = accurate
        self.least = None if least is None else least.reshape(-1)

    @property
    def is_depthwise(self) -> bool:
        """Return whether each channel has its own filter."""
        return self.weights.shape[0] > 1 and self.weights.shape[1:3] == (1, 1)

    @property
    def takes_bf16(self) -> bool:
        groups, _, depth, *kernel = self.weights.shape
        few = groups == 1 and depth < FEW_CHANNELS and kernel[-1] > 1
        return (depth % 2 == 0 or self.is_depthwise) and not few

    def in_precision(self, precision: ElementType) -> Self:
        made = super().in_precision(precision)
        made.accurate = True
        return made

    def multiply_adds(self, sizes: Sizes) -> int:
        return math.prod(sizes.output) * math.prod(self.weights.shape[2:])

    @cached_property
    def prepared(self) -> Convolution:
        """The weights in the order in which NumPy multiplies them."""
        activation = in_place(self.activation)
        return Convolution(self.rounded_weights, self.bias, activation, self.least, accurate=self.accurate)

    def run(self, data: Array, summand: Array | None = None) -> Array | tuple[Array, ...]:
        geometry = self.source.windows(data.ndim - 2).geometry(data.shape[2:], self.weights.shape[3:])
        return self.results(self.prepared(self.operand(data), geometry, summand))
