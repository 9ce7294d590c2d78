from __future__ import annotations

import numpy as np

from irrun.kernels.attention import attention
from irrun.ops import Array, Fact
from irrun.ops.fused.base import Fused, Memory, fused


@fused("FusedAttention")
class FusedAttention(Fused):
    """Compute softmax(query · keyᵀ * scale + mask) · value over the last two axes, for each head.

    Inputs are query [B, H, L, E], key [B, H, S, E] ([B, H, E, S] if ``key_transposed``), value [B, H, S, V] and a mask
    that broadcasts to [B, H, L, S]. The result has the memory layout [B, L, H, V].
    """

    def __init__(self, fact: Fact, scale: float | None, causal: bool, key_transposed: bool) -> None:
        super().__init__(fact)
        self.scale = scale
        self.causal = causal
        self.key_transposed = key_transposed

    def run(self, query: Array, key: Array, value: Array, mask: Array | None = None, *, memory: Memory) -> Array:
        if self.key_transposed:
            key = key.swapaxes(-1, -2)
        stack = query.shape[:-2]
        if not stack == key.shape[:-2] == value.shape[:-2]:
            stack = np.broadcast_shapes(stack, key.shape[:-2], value.shape[:-2])
        *front, heads = stack
        laid = memory.empty((*front, query.shape[-2], heads, value.shape[-1]), query.dtype)
        out = laid.swapaxes(-2, -3)
        scale = self.scale if self.scale is not None else (query.shape[-1] or 1) ** -0.5
        return attention(query, key, value, mask, scale, causal=self.causal, out=out)
