from __future__ import annotations

import math

import numpy as np

from irrun.kernels.elementwise import Elementwise, finish, in_place
from irrun.ops import Array, Fact
from irrun.ops._declared.fused.base import fused
from irrun.ops._declared.fused.fused_product import FusedProduct
from irrun.ops.work import Sizes


@fused("FusedMatMul")
class FusedMatMul(FusedProduct):
    """A product with a constant matrix [K, N], an optional summand and an activation.

    ``bias`` is [N]. Inputs are the data [..., K], and a summand in the shape of the output.
    """

    reads_slices = True

    def __init__(self, fact: Fact, weights: Array, bias: Array | None, activation: Elementwise | None) -> None:
        super().__init__(fact, weights)
        self.bias = bias
        self.activation = activation

    def multiply_adds(self, sizes: Sizes) -> int:
        return math.prod(sizes.output) * int(self.weights.shape[0])

    @property
    def takes_bf16(self) -> bool:
        return not self.weights.shape[0] % 2

    def run(self, data: Array, summand: Array | None = None) -> Array | tuple[Array, ...]:
        depth, columns = self.weights.shape
        lead = data.shape[:-1]
        rows = math.prod(lead)
        result = np.empty((*lead, columns), self.weights.dtype)
        out = result.reshape(rows, columns)
        np.matmul(self.operand(data).reshape(rows, depth), self.rounded_weights, out=out)
        added = None if summand is None else summand.reshape(rows, columns)
        finish(out, self.bias, added, in_place(self.activation))
        return self.results(result)
