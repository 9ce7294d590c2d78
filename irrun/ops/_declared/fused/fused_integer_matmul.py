from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from irrun.kernels.epilogue import Epilogue
from irrun.ops import Array
from irrun.ops._declared.fused.base import Memory, fused
from irrun.ops._declared.fused.fused_integer_product import F32, FusedIntegerProduct
from irrun.ops.work import Sizes


@fused("FusedIntegerMatMul")
class FusedIntegerMatMul(FusedIntegerProduct):
    """A product of levels [..., K] and constant weights i8 [K, N].

    Inputs are the levels, and a summand in the shape of the output.
    """

    @cached_property
    def _floats(self) -> Array:
        return self.weights * self.epilogue.factor

    def release(self) -> None:
        self.__dict__.pop("_floats", None)

    def multiply_adds(self, sizes: Sizes) -> int:
        return math.prod(sizes.output) * int(self.weights.shape[0])

    def run(self, codes: Array, summand: Array | None = None, *, memory: Memory) -> tuple[Array, ...]:
        depth, columns = self.weights.shape
        result = memory.empty((*codes.shape[:-1], columns), F32)
        out, added = result.reshape(-1, columns), self.added(summand, memory)
        np.matmul(self.centred(codes, memory).reshape(-1, depth), self._floats, out=out)
        early = added if self.epilogue.between is None else None
        Epilogue(self.epilogue.bias, self.epilogue.early).apply(
            out, None if early is None else early.reshape(-1, columns)
        )
        return self.results(result, added, memory)
