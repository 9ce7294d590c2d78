from __future__ import annotations

from typing import Any

from irrun.ops import Array, Fact
from irrun.ops._declared.convolution.base import Convolving
from irrun.ops._declared.fused.base import Memory, fused
from irrun.ops._declared.fused.fused_integer_product import FusedIntegerProduct, IntegerEpilogue
from irrun.ops._declared.fused.shaped_convolution import ShapedConvolution


@fused("FusedIntegerConvolution")
class FusedIntegerConvolution(FusedIntegerProduct, ShapedConvolution):
    """A convolution of levels with constant weights i8 [G, O, I, *K].

    Inputs are the levels, and a summand in the shape of the output.
    """

    def __init__(
        self, fact: Fact, source: Convolving, weights: Array, epilogue: IntegerEpilogue, accurate: bool
    ) -> None:
        super().__init__(fact, weights, epilogue)
        self.source = source
        self.accurate = accurate
        self._prepared = {}

    def constants(self) -> dict[str, Any]:
        factor = self.epilogue.factor.reshape(*self.weights.shape[:2], *(1,) * (self.weights.ndim - 2))
        return {"weights": self.weights * factor, "bias": self.epilogue.bias, "activation": self.epilogue.early}

    def run(self, codes: Array, summand: Array | None = None, *, memory: Memory) -> tuple[Array, ...]:
        added = self.added(summand, memory)
        early = added if self.epilogue.between is None else None
        return self.results(self.convolve(self.centred(codes, memory), early, memory), added, memory)
