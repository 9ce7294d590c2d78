from __future__ import annotations

import numpy as np

from irrun.ops import Array, Fact
from irrun.ops.fused.base import Fused, Memory, fused


@fused("FusedConcat")
class FusedConcat(Fused):
    """Tensors one after the other along an axis, in memory that is taken again."""

    def __init__(self, fact: Fact, axis: int) -> None:
        super().__init__(fact)
        self.axis = axis

    def run(self, *inputs: Array, memory: Memory) -> Array:
        first = inputs[0]
        sizes = list(first.shape)
        sizes[self.axis] = sum(x.shape[self.axis] for x in inputs)
        order = sorted(range(first.ndim), key=lambda axis: (-abs(first.strides[axis]), -first.shape[axis]))
        laid = memory.empty([sizes[axis] for axis in order], first.dtype)
        return np.concatenate(inputs, axis=self.axis, out=laid.transpose(np.argsort(order)))
