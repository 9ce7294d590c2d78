from __future__ import annotations

import math

import numpy as np

from irrun.kernels.products import rows_at_a_time
from irrun.kernels.rows import product
from irrun.kernels.transposing import transposed
from irrun.ops import Array, Fact
from irrun.ops.fused.base import Fused, Memory, fused
from irrun.ops.fused.in_place import InPlace


@fused("FusedMatMul")
class FusedMatMul(Fused):
    """A product with a constant matrix [K, N], then what is added to it, then an activation.

    ``bias`` is [N]. Inputs are the data [..., K], and a summand in the shape of the output. With ``turned`` the result
    lies in memory column by column: so it is computed fastest, and what takes it does not mind. The first run with few
    rows has the weights lie so too.
    """

    def __init__(
        self,
        fact: Fact,
        weights: Array,
        bias: Array | None,
        activation: InPlace | None,
        turned: bool,
    ) -> None:
        super().__init__(fact)
        self.weights = weights
        self.bias = bias
        self.activation = activation
        self.turned = turned

    def run(self, data: Array, summand: Array | None = None, *, memory: Memory) -> Array:
        depth, columns = self.weights.shape
        lead = data.shape[:-1]
        rows = math.prod(lead)
        a = data.reshape(rows, depth)
        added = None if summand is None else summand.reshape(rows, columns)
        if not self.turned or rows == 1:
            out = memory.empty((*lead, columns), self.weights.dtype)
            product(a, self.weights, out.reshape(rows, columns), self.bias, added, self.activation)
            return out
        if self.weights.flags.c_contiguous and rows_at_a_time(depth, rows):
            self.weights = transposed(self.weights).T
        laid = memory.empty((columns, rows), self.weights.dtype)
        bias = None if self.bias is None else self.bias[:, np.newaxis]
        turned = None if added is None else added.T
        product(self.weights.T, a.T, laid, bias, turned, self.activation)
        return laid.reshape(columns, *lead).transpose(*range(1, len(lead) + 1), 0)
