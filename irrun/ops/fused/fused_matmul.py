from __future__ import annotations

import math

import numpy as np

from irrun.kernels.constant_matrix import ConstantMatrix
from irrun.kernels.finish import Finish
from irrun.kernels.rows import product
from irrun.ops import Array, Fact
from irrun.ops.fused.base import Fused, Memory, fused, product_room
from irrun.ops.fused.in_place import InPlace


@fused("FusedMatMul")
class FusedMatMul(Fused):
    """A product with a constant matrix [K, N], then what is added to it, then an activation.

    ``bias`` is [N]. Inputs are the data [..., K], and a summand in the shape of the output. With ``turned`` the result
    lies in memory column by column: so it is computed fastest, and what takes it does not mind.
    """

    def __init__(
        self, fact: Fact, weights: Array, bias: Array | None, activation: InPlace | None, turned: bool
    ) -> None:
        super().__init__(fact)
        self.weights = ConstantMatrix.of(weights, turned=turned)
        self.finish = Finish(bias, activation)

    def run(self, data: Array, summand: Array | None = None, *, memory: Memory) -> Array:
        depth, columns = self.weights.shape
        lead = data.shape[:-1]
        rows = math.prod(lead)
        result, out = product_room(lead, columns, self.weights.dtype, memory, turned=self.weights.turned)
        added = None if summand is None else summand.reshape(rows, columns)
        a = data.reshape(rows, depth)
        are_views = np.may_share_memory(a, data) and (added is None or np.may_share_memory(added, summand))
        product(a, self.weights, out, self.finish, added, repeatable=are_views)
        return result
