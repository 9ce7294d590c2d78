from __future__ import annotations

import numpy as np

from irrun.kernels.elementwise import FunctionChain
from irrun.ops import Array
from irrun.ops._declared.fused.base import Fused, fused


@fused("FusedElementwise")
class FusedElementwise(Fused):
    """A chain of elementwise operations. Input ``like`` has the shape and memory layout of the output, if any has."""

    reads_slices = True

    chain: FunctionChain
    like: int | None

    def run(self, *inputs: Array) -> Array:
        dtype = self.fact.type.dtype
        if self.like is None:
            return self.chain(inputs, np.empty(np.broadcast_shapes(*(x.shape for x in inputs)), dtype))
        return self.chain(inputs, np.empty_like(inputs[self.like], dtype))
