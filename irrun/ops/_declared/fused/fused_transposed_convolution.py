from __future__ import annotations

import math
from typing import Self

from irrun.kernels.elementwise import Elementwise, in_place
from irrun.kernels.layout import channels_first
from irrun.kernels.transposed_convolution import TransposedConvolution
from irrun.ops import Array, Fact
from irrun.ops._declared.convolution.transposed import TransposedConvolving
from irrun.ops._declared.fused.base import Memory, fused
from irrun.ops._declared.fused.fused_product import FusedProduct
from irrun.ops.work import Sizes
from irrun.tensor import ElementType


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
        self._prepared: TransposedConvolution | None = None

    def multiply_adds(self, sizes: Sizes) -> int:
        return math.prod(sizes.inputs[0]) * math.prod(self.weights.shape[2:])

    def prepare(self) -> TransposedConvolution:
        """Return the kernel."""
        if self._prepared is None:
            windows = self.source.windows(self.weights.ndim - 3)
            epilogue = self.bias, in_place(self.activation)
            self._prepared = TransposedConvolution(self.rounded_weights, windows.strides, windows.dilations, *epilogue)
        return self._prepared

    def release(self) -> None:
        self._prepared = None

    @property
    def takes_bf16(self) -> bool:
        return not self.weights.shape[1] % 2

    def in_precision(self, precision: ElementType) -> Self:
        made = super().in_precision(precision)
        made._prepared = None
        return made

    def run(self, data: Array, summand: Array | None = None, *, memory: Memory) -> Array | tuple[Array, ...]:
        begins, sizes = self.source.place(data.shape[2:], self.weights.shape[3:], self.wanted)
        channels = self.weights.shape[0] * self.weights.shape[2]
        out = memory.empty((data.shape[0], *sizes, channels), self.weights.dtype)
        return self.results(self.prepare()(self.operand(data), begins, channels_first(out), summand), memory)
