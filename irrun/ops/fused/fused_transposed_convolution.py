from __future__ import annotations

import math

from irrun.kernels.elementwise import Elementwise, in_place
from irrun.kernels.layout import channels_first
from irrun.kernels.prepared_transposed import PreparedTransposed
from irrun.ops import Array, Fact
from irrun.ops.convolution.base import TransposedConvolving
from irrun.ops.fused.base import Fused, Memory, fused
from irrun.ops.work import Sizes


@fused("FusedTransposedConvolution")
class FusedTransposedConvolution(Fused):
    """A transposed convolution with constant weights, an optional summand and an activation, in one kernel.

    ``weights`` are [I, O, KH, KW], ``bias`` is [O], ``wanted`` the spatial sizes where the file specifies them. Inputs
    are the data, and a summand in the shape of the output.
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
        super().__init__(fact)
        self.source = source
        self.weights = weights
        self.wanted = wanted
        self.bias = bias
        self.activation = activation
        windows = source.windows(2)
        self.kernel = PreparedTransposed(weights, windows.strides, windows.dilations, bias, in_place(activation))

    def multiply_adds(self, sizes: Sizes) -> int:
        return math.prod(sizes.inputs[0]) * math.prod(self.weights.shape[1:])

    def run(self, data: Array, summand: Array | None = None, *, memory: Memory) -> Array:
        begins, sizes = self.source.place(data.shape[2:], self.weights.shape[2:], self.wanted)
        out = memory.empty((data.shape[0], *sizes, self.weights.shape[1]), self.weights.dtype)
        return self.kernel(data, begins, channels_first(out), summand)
