from __future__ import annotations

import math
from typing import Final, Self

from irrun.kernels.elementwise import Elementwise, in_place
from irrun.kernels.layout import channels_first
from irrun.kernels.prepared_convolution import Prepared, prepare_convolution
from irrun.ops import Array, Fact
from irrun.ops.convolution.base import Convolving
from irrun.ops.fused.base import Memory, fused
from irrun.ops.fused.fused_product import FusedProduct
from irrun.ops.work import Sizes
from irrun.tensor import ElementType

_MOST_SHAPES = 8

FEW_CHANNELS: Final = 16
"""Channels below which a tap has too few to be multiplied by itself."""


@fused("FusedConvolution")
class FusedConvolution(FusedProduct):
    """A convolution with constant weights, an optional summand and an activation, in one kernel.

    ``weights`` are [G, O, I, *K], ``bias`` is [G * O]. Inputs are the data, and a summand in the shape of the output.
    The data are first clipped from below to ``least``, one number for each channel. Work that depends only on the
    weights and the shape of the data is done once for each shape.
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
        self._prepared: dict[tuple[int, ...], Prepared] = {}

    @property
    def is_depthwise(self) -> bool:
        """Return whether each channel has its own filter."""
        return self.weights.shape[0] > 1 and self.weights.shape[1:3] == (1, 1)

    @property
    def takes_halves(self) -> bool:
        groups, _, depth, *kernel = self.weights.shape
        few = groups == 1 and depth < FEW_CHANNELS and kernel[-1] > 1
        return (depth % 2 == 0 or self.is_depthwise) and len(kernel) < 3 and not few

    def in_precision(self, precision: ElementType) -> Self:
        made = super().in_precision(precision)
        made.accurate, made._prepared = True, {}
        return made

    def prepare(self, shape: tuple[int, ...]) -> Prepared:
        """Return the kernel for data of this shape."""
        known = self._prepared.get(shape)
        if known is not None:
            return known
        windows = self.source.windows(len(shape) - 2)
        placed = windows.place(shape[2:], self.weights.shape[3:])
        made = prepare_convolution(
            self.weights,
            windows.strides,
            windows.dilations,
            placed.begins,
            placed.ends,
            self.weights.shape[0],
            shape,
            self.bias,
            in_place(self.activation),
            self.accurate,
            self.least,
        )
        if len(self._prepared) >= _MOST_SHAPES:
            self._prepared.clear()
        self._prepared[shape] = made
        return made

    def release(self) -> None:
        self._prepared.clear()

    def multiply_adds(self, sizes: Sizes) -> int:
        return math.prod(sizes.output) * math.prod(self.weights.shape[2:])

    def run(self, data: Array, summand: Array | None = None, *, memory: Memory) -> Array | tuple[Array, ...]:
        kernel = self.prepare(data.shape)
        batch, channels, *spatial = kernel.shape
        out = channels_first(memory.empty((batch, *spatial, channels), self.weights.dtype))
        return self.results(kernel(self.operand(data), out, summand), memory)
