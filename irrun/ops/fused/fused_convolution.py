from __future__ import annotations

import math

from irrun.kernels.elementwise import Elementwise, in_place
from irrun.kernels.layout import channels_first
from irrun.kernels.prepared_convolution import Prepared, prepare_convolution
from irrun.ops import Array, Fact
from irrun.ops.convolution.base import Convolving
from irrun.ops.fused.base import Fused, Memory, fused
from irrun.ops.work import Sizes

_MOST_SHAPES = 8


@fused("FusedConvolution")
class FusedConvolution(Fused):
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
        super().__init__(fact)
        self.source = source
        self.weights = weights
        self.bias = bias
        self.activation = activation
        self.accurate = accurate
        self.least = None if least is None else least.reshape(-1)
        self._prepared: dict[tuple[int, ...], Prepared] = {}

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

    def run(self, data: Array, summand: Array | None = None, *, memory: Memory) -> Array:
        kernel = self.prepare(data.shape)
        batch, channels, *spatial = kernel.shape
        out = channels_first(memory.empty((batch, *spatial, channels), self.weights.dtype))
        return kernel(data, out, summand)
