from __future__ import annotations

import math

import numpy as np

from irrun.kernels.rows import product
from irrun.ops import Array, Fact
from irrun.ops.fused.base import Fused, Memory, fused
from irrun.ops.fused.in_place import InPlace

_SMALL = 1 << 14
"""Elements of a result below which it is computed at once."""

_LARGE = 1 << 18
"""Elements of weights that are worth sharing whatever the result is."""


@fused("FusedMatMul")
class FusedMatMul(Fused):
    """A product with a constant matrix [K, N], then what is added to it, then an activation.

    ``bias`` is [N]. Inputs are the data [..., K], and a summand in the shape of the output. With ``turned`` the result
    lies in memory column by column: so it is computed fastest, and what takes it does not mind.
    """

    def __init__(
        self,
        fact: Fact,
        weights: Array,
        bias: Array | None,
        activation: InPlace | None,
        cost: float,
        turned: bool,
    ) -> None:
        super().__init__(fact)
        self.weights = weights
        self.bias = bias
        self.activation = activation
        self.cost = cost
        self.turned = turned

    def run(self, data: Array, summand: Array | None = None, *, memory: Memory) -> Array:
        depth, columns = self.weights.shape
        lead = data.shape[:-1]
        rows = math.prod(lead)
        a = data.reshape(rows, depth)
        added = None if summand is None else summand.reshape(rows, columns)
        if rows * columns < _SMALL:
            return self._small(a, added).reshape(*lead, columns)
        if not self.turned:
            out = memory.empty((*lead, columns), self.weights.dtype)
            product(a, self.weights, out.reshape(rows, columns), self.bias, added, self.activation, self.cost)
            return out
        laid = memory.empty((columns, rows), self.weights.dtype)
        bias = None if self.bias is None else self.bias[:, np.newaxis]
        turned = None if added is None else added.T
        product(self.weights.T, a.T, laid, bias, turned, self.activation, self.cost)
        return np.moveaxis(laid.reshape(columns, *lead), 0, -1)

    def _small(self, a: Array, summand: Array | None) -> Array:
        """All at once, where there is little to share between threads; not for a row times a large matrix."""
        out = np.empty((len(a), self.weights.shape[1]), self.weights.dtype)
        if self.weights.size >= _LARGE:
            product(a, self.weights, out, self.bias, summand, self.activation, self.cost)
            return out
        np.matmul(a, self.weights, out=out)
        if self.bias is not None:
            out += self.bias
        if summand is not None:
            out += summand
        if self.activation is not None:
            self.activation(out)
        return out
