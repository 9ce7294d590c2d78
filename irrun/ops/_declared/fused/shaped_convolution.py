"""The base class of convolutions with constant weights, whose kernels depend on the shape of the data."""

from __future__ import annotations

import math
from typing import Any

from irrun.kernels.convolution import PreparedConvolution, prepare_convolution
from irrun.kernels.layout import channels_first
from irrun.ops import Array
from irrun.ops._declared.convolution.base import Convolving
from irrun.ops._declared.fused.base import Fused, Memory
from irrun.ops.work import Sizes

_MOST_SHAPES = 8


class ShapedConvolution(Fused):
    """A convolution with weights [G, O, I, *K]. What depends only on them and the shape is done once for each shape."""

    weights: Array
    source: Convolving
    accurate: bool
    _prepared: dict[tuple[int, ...], PreparedConvolution]

    def constants(self) -> dict[str, Any]:
        """Return the arguments of ``prepare_convolution`` that do not depend on the shape."""
        raise NotImplementedError

    def prepare(self, shape: tuple[int, ...]) -> PreparedConvolution:
        """Return the kernel for data of this shape."""
        known = self._prepared.get(shape)
        if known is not None:
            return known
        geometry = self.source.windows(len(shape) - 2).geometry(shape[2:], self.weights.shape[3:])
        made = prepare_convolution(geometry=geometry, batch=shape[0], accurate=self.accurate, **self.constants())
        if len(self._prepared) >= _MOST_SHAPES:
            self._prepared.clear()
        self._prepared[shape] = made
        return made

    def release(self) -> None:
        self._prepared.clear()

    def multiply_adds(self, sizes: Sizes) -> int:
        return math.prod(sizes.output) * math.prod(self.weights.shape[2:])

    def convolve(self, data: Array, summand: Array | None, memory: Memory) -> Array:
        """Return activation(convolution + bias + summand) of data, channels-last."""
        kernel = self.prepare(data.shape)
        batch, channels, *spatial = kernel.shape
        out = channels_first(memory.empty((batch, *spatial, channels), kernel.dtype))
        return kernel(data, out, summand)
