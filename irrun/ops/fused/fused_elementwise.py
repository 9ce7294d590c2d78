from __future__ import annotations

from irrun.kernels.chain import Chain
from irrun.ops import Array, Fact
from irrun.ops.fused.base import Fused, Memory, fused


@fused("FusedElementwise")
class FusedElementwise(Fused):
    """A chain of elementwise operations. Input ``like`` has the shape and memory layout of the output."""

    reads_slices = True

    def __init__(self, fact: Fact, chain: Chain, like: int) -> None:
        super().__init__(fact)
        self.chain = chain
        self.like = like

    def run(self, *inputs: Array, memory: Memory) -> Array:
        return self.chain(inputs, memory.like(inputs[self.like]))
