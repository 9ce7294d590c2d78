from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from irrun.kernels.elementwise import Elementwise, in_place
from irrun.kernels.layout import channels_first
from irrun.kernels.transposed_convolution import TransposedConvolution
from irrun.ops import Array, Fact
from irrun.ops._declared.convolution.transposed import TransposedConvolving
from irrun.ops._declared.fused.base import fused
from irrun.ops._declared.fused.fused_product import FusedProduct
from irrun.ops.work import Sizes


@fused("FusedTransposedConvolution")
class FusedTransposedConvolution(FusedProduct):
    """A transposed convolution with constant weights, an optional summand and an activation, in one kernel.

    ``weights`` are [G, I, O, *K], ``bias`` is [G * O], ``wanted`` the spatial sizes where the file specifies them.
    Inputs are the data, and a summand in the shape of the output.
    """

    def __init__(
        self,
        fact: Fact,
        source: TransposedConvolving,
        weights: Array,
        bias: Array | None,
        activation: Elementwise | None,
        wanted: tuple[int, ...] | None,
    ) -> None:
        super().__init__(fact, weights)
        self.source = source
        self.wanted = wanted
        self.bias = bias
        self.activation = activation

    def multiply_adds(self, sizes: Sizes) -> int:
        return math.prod(sizes.inputs[0]) * math.prod(self.weights.shape[2:])

    @cached_property
    def prepared(self) -> TransposedConvolution:
        """The weights in the order in which NumPy multiplies them."""
        windows = self.source.windows(self.weights.ndim - 3)
        given = self.rounded_weights, windows.strides, windows.dilations, self.bias
        return TransposedConvolution(*given, in_place(self.activation))

    @property
    def takes_bf16(self) -> bool:
        return not self.weights.shape[1] % 2

    def run(self, data: Array, summand: Array | None = None) -> Array | tuple[Array, ...]:
        begins, sizes = self.source.place(data.shape[2:], self.weights.shape[3:], self.wanted)
        channels = self.weights.shape[0] * self.weights.shape[2]
        out = np.empty((data.shape[0], *sizes, channels), self.weights.dtype)
        return self.results(self.prepared(self.operand(data), begins, channels_first(out), summand))
