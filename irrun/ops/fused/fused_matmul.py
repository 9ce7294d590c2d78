from __future__ import annotations

from irrun.kernels.rows import product
from irrun.ops import Array, Fact
from irrun.ops.fused.base import Fused, Memory, fused
from irrun.ops.fused.in_place import InPlace


@fused("FusedMatMul")
class FusedMatMul(Fused):
    """A product with a constant matrix [K, N], then what is added to it, then an activation.

    ``bias`` is [N]. Inputs are the data [..., K], and a summand in the shape of the output.
    """

    def __init__(self, fact: Fact, weights: Array, bias: Array | None, activation: InPlace | None, cost: float) -> None:
        super().__init__(fact)
        self.weights = weights
        self.bias = bias
        self.activation = activation
        self.cost = cost

    def run(self, data: Array, summand: Array | None = None, *, memory: Memory) -> Array:
        depth, columns = self.weights.shape
        out = memory.empty((*data.shape[:-1], columns), self.weights.dtype)
        rows = data.size // depth if depth else out.size // max(columns, 1)
        matrix = out.reshape(rows, columns)
        added = None if summand is None else summand.reshape(rows, columns)
        product(data.reshape(rows, depth), self.weights, matrix, self.bias, added, self.activation, self.cost)
        return out
