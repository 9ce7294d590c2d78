from __future__ import annotations

import math
from functools import cached_property

from irrun.kernels.convolution import Convolution
from irrun.ops import Array, Fact
from irrun.ops._declared.convolution.base import Convolving
from irrun.ops._declared.fused.base import fused
from irrun.ops._declared.fused.fused_integer_product import FusedIntegerProduct, IntegerEpilogue
from irrun.ops.work import Sizes


@fused("FusedIntegerConvolution")
class FusedIntegerConvolution(FusedIntegerProduct):
    """A convolution of levels with constant weights i8 [G, O, I, *K].

    Inputs are the levels, and a summand in the shape of the output.
    """

    def __init__(
        self, fact: Fact, source: Convolving, weights: Array, epilogue: IntegerEpilogue, accurate: bool
    ) -> None:
        super().__init__(fact, weights, epilogue)
        self.source = source
        self.accurate = accurate

    def multiply_adds(self, sizes: Sizes) -> int:
        return math.prod(sizes.output) * math.prod(self.weights.shape[2:])

    @cached_property
    def prepared(self) -> Convolution:
        """The weights as f32, with the factors."""
        factor = self.epilogue.factor.reshape(*self.weights.shape[:2], *(1,) * (self.weights.ndim - 2))
        return Convolution(self.weights * factor, self.epilogue.bias, self.epilogue.early, accurate=self.accurate)

    def run(self, codes: Array, summand: Array | None = None) -> tuple[Array, ...]:
        geometry = self.source.windows(codes.ndim - 2).geometry(codes.shape[2:], self.weights.shape[3:])
        added = self.added(summand)
        early = added if self.epilogue.between is None else None
        return self.results(self.prepared(self.centred(codes), geometry, early), added)
