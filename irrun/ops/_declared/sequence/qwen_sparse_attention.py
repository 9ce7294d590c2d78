from __future__ import annotations

import math
from typing import Literal

import numpy as np

from irrun.kernels.attention import attention
from irrun.kernels.sparse_attention import select_blocks
from irrun.ops import Array, Fact, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops.shapes import merge_dims
from irrun.tensor.element_type import FLOAT

T = TypeVar("T", FLOAT)


@op("QwenSparseAttention", opset=17)
class QwenSparseAttention(Op):
    """Causal attention to the best-scoring blocks of keys of each query, and to its own incomplete block."""

    inputs = (
        In("query", T, "[N, H, L, E], the last L of S positions", rank=4),
        In("key", T, "[N, Hkv, S, E]", rank=4),
        In("value", T, "[N, Hkv, S, Ev]", rank=4),
        In("index_query", T, "[N, Hi, L, Di], what scores blocks", rank=4),
        In("index_key_blocks", T, "[N, S // compress_ratio, Di], one for each block", rank=3),
        In("scale", T, "one element; 1/sqrt(E) where absent", optional=True, rank=(0, 1)),
    )
    outputs = (
        Out("output", T, "[N, H, L, Ev]"),
        Out("indices", "index_element_type", "[N, L, token_budget + compress_ratio - 1], the keys seen; then -1"),
    )

    compress_ratio: int = attr(doc="keys in a block", gt=0)
    token_budget: int = attr(doc="most keys that a query sees in complete blocks", gt=0)
    index_element_type: Literal["i32", "i64"] = attr("i32", doc="the type of the indices")

    def verify(self) -> None:
        if self.token_budget % self.compress_ratio:
            raise OpError(
                f"token_budget ({self.token_budget}) is not a multiple of compress_ratio ({self.compress_ratio})",
                attribute="token_budget",
            )

    def infer(
        self, query: Fact, key: Fact, value: Fact, index_query: Fact, index_keys: Fact, scale: Fact | None
    ) -> tuple[Shape, Shape]:
        q, k, v, iq = (
            fact.shape if fact.shape.dims is not None else Shape.unknown(4) for fact in (query, key, value, index_query)
        )
        ik = index_keys.shape if index_keys.shape.dims is not None else Shape.unknown(3)
        batch = q[0]
        for index, shape in enumerate((k, v, iq, ik), start=1):
            batch = merge_dims(batch, shape[0], "the batch sizes", input=index)
        merge_dims(q[3], k[3], "the last sizes of query and key", input=1)
        merge_dims(k[1], v[1], "the heads of key and value", input=2)
        merge_dims(k[2], v[2], "the numbers of keys and of values", input=2)
        merge_dims(iq[3], ik[2], "the last sizes of index_query and index_key_blocks", input=4)
        merge_dims(k[2] // self.compress_ratio, ik[1], "the numbers of complete blocks and of their keys", input=4)
        if k[1].is_static and (k[1].lo == 0 < q[1].lo or (k[1].lo > 0 and not (q[1] % k[1]).admits(0))):
            raise OpError(f"{q[1]} heads of queries are not a multiple of {k[1]} heads of keys", input=1)
        if q[2].lo > k[2].hi:
            raise OpError(f"{q[2]} queries are more than {k[2]} keys", input=1)
        if scale is not None and scale.shape.dims is not None and not scale.shape.size.admits(1):
            raise OpError(f"the scale has shape {scale.shape}, expected one number", input=5)
        length = merge_dims(q[2], iq[2], "the numbers of queries", input=3)
        width = self.token_budget + self.compress_ratio - 1
        return Shape([batch, q[1], length, v[3]]), Shape([batch, length, width])

    def run(
        self, query: Array, key: Array, value: Array, index_query: Array, index_keys: Array, scale: Array | None
    ) -> tuple[Array, Array]:
        factor = 1 / math.sqrt(query.shape[-1] or 1) if scale is None else float(scale.item())
        mask, indices = select_blocks(index_query, index_keys, key.shape[2], self.compress_ratio, self.token_budget)
        groups = query.shape[1] // max(key.shape[1], 1)
        keys, values = np.repeat(key, groups, axis=1), np.repeat(value, groups, axis=1)
        return attention(query, keys, values, mask[:, None], factor, causal=False), indices
