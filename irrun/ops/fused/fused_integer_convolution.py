from __future__ import annotations

import math

from irrun.kernels.layout import channels_first
from irrun.kernels.prepared_convolution import Prepared, prepare_convolution
from irrun.ops import Array, Fact
from irrun.ops.convolution.base import Convolving
from irrun.ops.fused.base import Memory, fused
from irrun.ops.fused.fused_integer_product import F32, FusedIntegerProduct, Requantization
from irrun.ops.work import Sizes

_MOST_SHAPES = 8


@fused("FusedIntegerConvolution")
class FusedIntegerConvolution(FusedIntegerProduct):
    """A convolution of levels with constant weights i8 [G, O, I, *K].

    Inputs are the levels, and a summand in the shape of the output.
    """

    def __init__(self, fact: Fact, source: Convolving, weights: Array, end: Requantization, accurate: bool) -> None:
        super().__init__(fact, weights, end)
        self.source = source
        self.accurate = accurate
        self._prepared: dict[tuple[int, ...], Prepared] = {}

    def prepare(self, shape: tuple[int, ...]) -> Prepared:
        """Return the kernel for data of this shape."""
        known = self._prepared.get(shape)
        if known is not None:
            return known
        windows = self.source.windows(len(shape) - 2)
        placed = windows.place(shape[2:], self.weights.shape[3:])
        factor = self.end.factor.reshape(*self.weights.shape[:2], *(1,) * (self.weights.ndim - 2))
        made = prepare_convolution(
            self.weights * factor,
            windows.strides,
            windows.dilations,
            placed.begins,
            placed.ends,
            len(self.weights),
            shape,
            self.end.bias,
            self.end.early,
            self.accurate,
        )
        if len(self._prepared) >= _MOST_SHAPES:
            self._prepared.clear()
        self._prepared[shape] = made
        return made

    def release(self) -> None:
        self._prepared.clear()

    def multiply_adds(self, sizes: Sizes) -> int:
        return math.prod(sizes.output) * math.prod(self.weights.shape[2:])

    def run(self, codes: Array, summand: Array | None = None, *, memory: Memory) -> tuple[Array, ...]:
        kernel = self.prepare(codes.shape)
        batch, channels, *spatial = kernel.shape
        out = channels_first(memory.empty((batch, *spatial, channels), F32))
        added = self.added(summand, memory)
        kernel(self.centred(codes, memory), out, added if self.end.between is None else None)
        return self.results(out, added, memory)
