from __future__ import annotations

import math
from typing import TYPE_CHECKING, Self

from irrun.kernels.casting import rounded
from irrun.kernels.dynamic_quantization import product
from irrun.kernels.elementwise import Elementwise, finish
from irrun.kernels.packed_product import FEW_ROWS
from irrun.ops import Array
from irrun.ops._declared.fused.base import Fused, fused
from irrun.ops.work import Sizes
from irrun.tensor import ElementType
from irrun.tensor.element_type import F32

if TYPE_CHECKING:
    from irrun.kernels.packed_product import PackedMatrix


@fused("FusedPackedMatMul")
class FusedPackedMatMul(Fused):
    """A product with a packed constant matrix [K, N], an optional summand and an activation.

    ``bias`` is [N]. Inputs are the data [..., K], and a summand in the shape of the output. Data and decompressed
    weights are rounded to a ``precision``, but where there are few rows (`FEW_ROWS`).
    If ``group_size`` is not 0, each group of that many elements of a row is rounded to integers of 8 bits with a scale.
    """

    weights: PackedMatrix
    bias: Array | None
    activation: Elementwise | None
    group_size: int = 0
    precision = F32

    def in_precision(self, precision: ElementType) -> Self:
        """Return the operation with rounded operands."""
        return self.copied(precision=F32 if self.group_size else precision)

    def multiply_adds(self, sizes: Sizes) -> int:
        return math.prod(sizes.output) * int(self.weights.shape[0])

    def run(self, data: Array, summand: Array | None = None) -> Array:
        depth, columns = self.weights.shape
        rows = data.reshape(-1, depth)
        if self.group_size:
            result = product(rows, self.weights, self.group_size)
        else:
            precision = self.precision.name if len(rows) > FEW_ROWS else F32.name
            result = self.weights.product(rounded(rows, precision), precision)
        finish(result, self.bias, None if summand is None else summand.reshape(result.shape), self.activation)
        return result.reshape(*data.shape[:-1], columns)
