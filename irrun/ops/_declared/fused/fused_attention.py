from __future__ import annotations

import math
from typing import Self

from irrun.kernels.attention import attention
from irrun.ops import Array
from irrun.ops._declared.fused.base import Fused, fused
from irrun.ops.work import Sizes
from irrun.tensor import ElementType
from irrun.tensor.element_type import F32


@fused("FusedAttention")
class FusedAttention(Fused):
    """Compute softmax(query · keyᵀ * scale + mask) · value over the last two axes, for each head.

    Inputs are query [B, H, L, E], key [B, H, S, E] ([B, H, E, S] if ``key_transposed``), value [B, H, S, V], and, None
    if absent: a mask and a bias, which are added to scores and broadcast to [B, H, L, S], a further factor of the
    ``scale``, and a sink, which broadcasts to [B, H, L, 1]: a score without a value. A mask or bias of booleans is true
    where a query attends to a key. Key and value may have fewer heads, each of which then serves ``shared`` consecutive
    heads of queries.

    Unless ``cap`` is 0, scores become cap * tanh(score) before bias and mask are added. A ``filling`` replaces the
    scores of hidden keys, which a boolean mask is true for if ``inverted``. Weights that are NaN are 0 if ``guarded``.

    The operands of both products are rounded to a ``precision``, the softmax among them. That of one query is computed
    in f32: it takes as long as reading the keys.
    """

    scale: float | None
    causal: bool
    key_transposed: bool
    shared: int = 1
    cap: float = 0.0
    filling: float | None = None
    inverted: bool = False
    guarded: bool = False
    precision = F32

    def in_precision(self, precision: ElementType) -> Self:
        """Return the operation with rounded operands."""
        return self.copied(precision=precision)

    def precision_of(self, queries: int) -> ElementType:
        """Return the type that operands are rounded to for this number of queries."""
        return self.precision if queries > 1 else F32

    def multiply_adds(self, sizes: Sizes) -> int:
        query, value = sizes.inputs[0], sizes.inputs[2]
        return math.prod(query[:-1]) * value[-2] * (query[-1] + value[-1])

    def scale_of(self, depth: int) -> float:
        """Return the constant factor of scores; the default is 1 over the square root of the depth."""
        return self.scale if self.scale is not None else (depth or 1) ** -0.5

    def run(
        self,
        query: Array,
        key: Array,
        value: Array,
        mask: Array | None = None,
        bias: Array | None = None,
        factor: Array | None = None,
        sink: Array | None = None,
    ) -> Array:
        if self.key_transposed:
            key = key.swapaxes(-1, -2)
        scale = self.scale_of(query.shape[-1]) * (1.0 if factor is None else float(factor.reshape(())))
        *front, queries, depth = query.shape
        added = [mask, bias, sink]
        are_rows = queries == 1 and not self.causal and all(part is None or _heads(part) == 1 for part in added)
        if self.shared > 1 and are_rows:
            # The heads that share a key become the rows of one product.
            query = query.reshape(*front[:-1], front[-1] // self.shared, self.shared, depth)
        elif self.shared > 1:
            query, key, value = self._grouped(query), key[..., None, :, :], value[..., None, :, :]
            added = [part if part is None else self._grouped(part) for part in added]
        mask, bias, sink = added
        result = attention(
            query,
            key,
            value,
            mask,
            scale,
            causal=self.causal,
            bias=bias,
            sink=sink,
            cap=self.cap,
            filling=self.filling,
            inverted=self.inverted,
            guarded=self.guarded,
            precision=self.precision_of(queries).name,
        )
        if self.shared == 1:
            return result
        lead = result.shape[:-3] if are_rows else result.shape[:-4]
        return result.reshape(*lead, front[-1], queries, value.shape[-1])

    def _grouped(self, part: Array) -> Array:
        """Return [..., H, R, C] as [..., H / shared, shared, R, C]; one head, or no axis of heads, serves all."""
        if _heads(part) == 1:
            return part[..., None, :, :] if part.ndim > 2 else part
        *front, heads, rows, columns = part.shape
        return part.reshape(*front, heads // self.shared, self.shared, rows, columns)


def _heads(part: Array) -> int:
    return int(part.shape[-3]) if part.ndim > 2 else 1
