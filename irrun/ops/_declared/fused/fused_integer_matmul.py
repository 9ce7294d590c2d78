from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from irrun.kernels.epilogue import finish
from irrun.ops import Array
from irrun.ops._declared.fused.base import fused
from irrun.ops._declared.fused.fused_integer_product import F32, FusedIntegerProduct
from irrun.ops.work import Sizes


@fused("FusedIntegerMatMul")
class FusedIntegerMatMul(FusedIntegerProduct):
    """A product of levels [..., K] and constant weights i8 [K, N].

    Inputs are the levels, and a summand in the shape of the output.
    """

    @cached_property
    def prepared(self) -> Array:
        """The weights as f32, with the factors."""
        return self.weights * self.epilogue.factor

    def multiply_adds(self, sizes: Sizes) -> int:
        return math.prod(sizes.output) * int(self.weights.shape[0])

    def run(self, codes: Array, summand: Array | None = None) -> tuple[Array, ...]:
        depth, columns = self.weights.shape
        result = np.empty((*codes.shape[:-1], columns), F32)
        out, added = result.reshape(-1, columns), self.added(summand)
        np.matmul(self.centred(codes).reshape(-1, depth), self.prepared, out=out)
        early = added if self.epilogue.between is None else None
        early = None if early is None else early.reshape(-1, columns)
        finish(out, self.epilogue.bias, early, self.epilogue.early)
        return self.results(result, added)
