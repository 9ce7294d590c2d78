from __future__ import annotations

import math
from copy import copy
from typing import Self

import numpy as np

from irrun.kernels.attention import attention
from irrun.ops import Array, Fact
from irrun.ops.fused.base import Fused, Memory, fused
from irrun.ops.work import Sizes
from irrun.tensor import ElementType
from irrun.tensor.element_type import F32


@fused("FusedAttention")
class FusedAttention(Fused):
    """Compute softmax(query · keyᵀ * scale + mask) · value over the last two axes, for each head.

    Inputs are query [B, H, L, E], key [B, H, S, E] ([B, H, E, S] if ``key_transposed``), value [B, H, S, V] and a mask
    that broadcasts to [B, H, L, S]. The memory layout of the result is [B, L, H, V]. Key and value may have fewer
    heads, each of which then serves ``shared`` consecutive heads of queries.

    The operands of both products are rounded to a ``precision``, the softmax among them. That of one query is computed
    in f32: it takes as long as reading the keys.
    """

    def __init__(self, fact: Fact, scale: float | None, causal: bool, key_transposed: bool, shared: int = 1) -> None:
        super().__init__(fact)
        self.scale = scale
        self.causal = causal
        self.key_transposed = key_transposed
        self.shared = shared
        self.precision: ElementType = F32

    def in_precision(self, precision: ElementType) -> Self:
        """Return the operation with rounded operands."""
        made = copy(self)
        made.precision = precision
        return made

    def precision_of(self, queries: int) -> ElementType:
        """Return the type that operands are rounded to for this number of queries."""
        return self.precision if queries > 1 else F32

    def multiply_adds(self, sizes: Sizes) -> int:
        query, value = sizes.inputs[0], sizes.inputs[2]
        return math.prod(query[:-1]) * value[-2] * (query[-1] + value[-1])

    def run(self, query: Array, key: Array, value: Array, mask: Array | None = None, *, memory: Memory) -> Array:
        if self.key_transposed:
            key = key.swapaxes(-1, -2)
        scale = self.scale if self.scale is not None else (query.shape[-1] or 1) ** -0.5
        precision = self.precision_of(query.shape[-2]).name
        if self.shared > 1:
            batch, heads, queries, depth = query.shape
            laid = memory.empty((batch, queries, heads, value.shape[-1]), query.dtype)
            out = laid.swapaxes(1, 2)
            split = (batch, heads // self.shared, self.shared)
            if queries == 1 and not self.causal and (mask is None or mask.ndim < 3 or mask.shape[-3] == 1):
                # The heads that share a key become the rows of one product.
                joined = query.reshape(*split, depth)
                target = out.reshape(*split, value.shape[-1])
                attention(joined, key, value, mask, scale, causal=False, out=target)
                return out
            if mask is not None and mask.ndim > 2:
                groups = (1, 1) if mask.shape[-3] == 1 else split[1:]
                mask = mask.reshape(*mask.shape[:-3], *groups, *mask.shape[-2:])
            joined = query.reshape(*split, queries, depth)
            target = out.reshape(*split, queries, value.shape[-1])
            key, value = key[:, :, None], value[:, :, None]
            attention(joined, key, value, mask, scale, causal=self.causal, out=target, precision=precision)
            return out
        stack = query.shape[:-2]
        if not stack == key.shape[:-2] == value.shape[:-2]:
            stack = np.broadcast_shapes(stack, key.shape[:-2], value.shape[:-2])
        *front, heads = stack
        laid = memory.empty((*front, query.shape[-2], heads, value.shape[-1]), query.dtype)
        out = laid.swapaxes(-2, -3)
        return attention(query, key, value, mask, scale, causal=self.causal, out=out, precision=precision)
