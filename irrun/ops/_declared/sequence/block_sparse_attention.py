from __future__ import annotations

import math

from irrun.kernels.sparse_attention import block_sparse_attention
from irrun.ops import Array, Fact, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops.shapes import merge_dims
from irrun.tensor.element_type import BOOLEAN, FLOAT, INTEGER, U8

T = TypeVar("T", FLOAT)


@op("BlockSparseAttention", opset=17)
class BlockSparseAttention(Op):
    """Attention in which each block of queries sees only the keys of listed blocks.

    The result of a query without keys is zero.
    """

    inputs = (
        In("query", T, "[B, H, L, E]", rank=4),
        In("key", T, "[B, H or 1, S, E]", rank=4),
        In("value", T, "[B, H or 1, S, Ev]", rank=4),
        In("block_indices", INTEGER, "[B, H or 1, L / block_size, count]; others than blocks are skipped", rank=4),
        In("block_indices_mask", frozenset({BOOLEAN, U8}), "mask of the valid entries", optional=True, rank=4),
        In("scale", T, "one element; 1/sqrt(E) where absent", optional=True, rank=(0, 1)),
    )
    outputs = (Out("output", T, "[B, H, L, Ev]"),)

    block_size: int = attr(doc="keys or queries in a block", gt=0)
    causal: bool = attr(False, doc="whether query i sees the keys 0 to i only")

    def infer(self, query: Fact, key: Fact, value: Fact, blocks: Fact, mask: Fact | None, scale: Fact | None) -> Shape:
        q, k, v, b = (
            fact.shape if fact.shape.dims is not None else Shape.unknown(4) for fact in (query, key, value, blocks)
        )
        batch = merge_dims(merge_dims(q[0], k[0], "the batch sizes", input=1), v[0], "the batch sizes", input=2)
        batch = merge_dims(batch, b[0], "the batch sizes", input=3)
        merge_dims(q[3], k[3], "the last sizes of query and key", input=1)
        merge_dims(k[1], v[1], "the heads of key and value", input=2)
        merge_dims(k[2], v[2], "the numbers of keys and of values", input=2)
        for index, heads in ((1, k[1]), (3, b[1])):
            if not (heads.admits(1) or heads.compatible(q[1])):
                raise OpError(f"input {index} has {heads} heads, expected {q[1]} or 1", input=index)
        for index, size in ((0, q[2]), (1, k[2])):
            if not (size % self.block_size).admits(0):
                raise OpError(f"{size} positions are not whole blocks of {self.block_size}", input=index)
        merge_dims(q[2] // self.block_size, b[2], "the blocks of queries and of block_indices", input=3)
        if mask is not None and mask.shape.merge(blocks.shape) is None:
            raise OpError(f"the mask has shape {mask.shape}, expected that of block_indices {blocks.shape}", input=4)
        if scale is not None and scale.shape.dims is not None and not scale.shape.size.admits(1):
            raise OpError(f"the scale has shape {scale.shape}, expected one number", input=5)
        return Shape([batch, q[1], q[2], v[3]])

    def run(
        self, query: Array, key: Array, value: Array, blocks: Array, mask: Array | None, scale: Array | None
    ) -> Array:
        factor = 1 / math.sqrt(query.shape[-1] or 1) if scale is None else float(scale.item())
        return block_sparse_attention(
            query, key, value, blocks, mask, factor, block_size=self.block_size, causal=self.causal
        )
