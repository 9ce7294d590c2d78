from __future__ import annotations

import math

from irrun.kernels.attention import attention
from irrun.ops import Array, Dim, Fact, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops.departures import Departure, Layer
from irrun.ops.shapes import broadcast, merge_dims
from irrun.ops.work import Sizes
from irrun.tensor.element_type import BOOLEAN, FLOAT

T = TypeVar("T", FLOAT)


def _has_one_key(_: object, layer: Layer) -> bool:
    query, key, value = (fact.shape for fact in layer.inputs[:3])
    if query.dims is None or key.dims is None or value.dims is None:
        return False
    return {*query[:-2], *key[:-1], *value[:-1]} == {Dim.exactly(1)} and Dim.exactly(1) in (key[-1], value[-1])


@op("ScaledDotProductAttention", opset=13, page="scaled-dot-product-attention")
class ScaledDotProductAttention(Op):
    """Attention: softmax(query · keyᵀ · scale + mask) · value.

    The default scale is 1/sqrt(E). By the page's formula, a query without visible keys yields NaN.

    Note: OpenVINO has a sixth input, ``sink``: an additional score for each query that takes part in the softmax.
    """

    departures = {
        "beside nan": "returns 0 beside a score that is NaN",
        "one key": Departure("refuses a single key of a single head of size 1", _has_one_key),
    }
    workarounds = {"one key": "MatMul, SoftMax and MatMul in its place"}

    inputs = (
        In("query", T, "[N, ..., L, E]"),
        In("key", T, "[N, ..., S, E]"),
        In("value", T, "[N, ..., S, Ev]"),
        In(
            "attention_mask",
            FLOAT | {BOOLEAN},
            "broadcast to [N, ..., L, S]; true where a key is seen, or what is added to the scores; ignored if causal",
            optional=True,
        ),
        In("scale", T, "one element", optional=True),
        In("sink", T, "a further score for each query, broadcast to [N, ..., L, 1]", optional=True),
    )
    outputs = (Out("output", T, "[N, ..., L, Ev]"),)

    causal: bool = attr(doc="whether query i sees the keys 0 to i only", openvino=False)

    def multiply_adds(self, sizes: Sizes) -> int:
        query, key, value = sizes.inputs[:3]
        return math.prod(query[:-1]) * key[-2] * (query[-1] + value[-1])

    def infer(
        self, query: Fact, key: Fact, value: Fact, mask: Fact | None, scale: Fact | None, sink: Fact | None
    ) -> Shape:
        q, k, v = (_matrices(fact, index) for index, fact in enumerate((query, key, value)))
        merge_dims(q[-1], k[-1], "the last sizes of query and key", input=1)
        keys = merge_dims(k[-2], v[-2], "the numbers of keys and of values", input=2)
        if mask is not None and mask.type.is_known and mask.type not in (BOOLEAN, query.type) and query.type.is_known:
            raise OpError(f"the mask is {mask.type}, expected boolean or {query.type}", input=3)
        if scale is not None and not (scale.rank in (None, 0) or (scale.rank == 1 and scale.shape[0].admits(1))):
            raise OpError(f"the scale has shape {scale.shape}, expected one number", input=4)
        stacks = [_stack(fact.shape) for fact in (query, key, value)]
        if mask is not None and not self.causal:
            stacks.append(_added_stack("mask", mask, q[-2], keys, 3))
        if sink is not None:
            stacks.append(_added_stack("sink", sink, q[-2], Dim.exactly(1), 5))
        batch = broadcast(*stacks)
        if batch.dims is None:
            return batch
        rows = q[-2] if mask is None or self.causal else _rows(q[-2], mask.shape)
        return Shape([*batch, rows, v[-1]])

    def run(
        self,
        query: Array,
        key: Array,
        value: Array,
        mask: Array | None,
        scale: Array | None,
        sink: Array | None,
    ) -> Array:
        factor = 1 / math.sqrt(query.shape[-1] or 1) if scale is None else float(scale.reshape(()))
        seen = None if self.causal else mask
        return attention(query, key, value, seen, factor, causal=self.causal, sink=sink)


def _matrices(fact: Fact, index: int) -> tuple[Dim, ...]:
    """Return the last two sizes of an input."""
    if fact.shape.dims is None:
        return (Dim(), Dim())
    if len(fact.shape) < 3:
        raise OpError(f"input {index} has rank {len(fact.shape)}, expected 3 or more", input=index)
    return fact.shape[-2:]


def _rows(queries: Dim, mask: Shape) -> Dim:
    """Return the number of queries, which is that of the rows of the mask unless it has one."""
    if mask.dims is None or len(mask) < 2 or mask[-2].admits(1):
        return queries
    return queries.merge(mask[-2]) or queries


def _stack(shape: Shape) -> Shape:
    return shape if shape.dims is None else Shape(shape[:-2])


def _added_stack(name: str, added: Fact, queries: Dim, keys: Dim, index: int) -> Shape:
    """Return the batch shape of what is added to scores, whose last two sizes fit; a scalar has none."""
    if added.shape.dims is None or len(added.shape) == 0:
        return added.shape
    if len(added.shape) == 1:
        raise OpError(f"the {name} has rank 1, expected 0 or 2 and more", input=index)
    for size, dim in zip(added.shape[-2:], (queries, keys), strict=True):
        if not size.admits(1) and size.merge(dim) is None:
            raise OpError(
                f"the {name} has shape {added.shape}, expected [...,{queries},{keys}] or 1 in their place", input=index
            )
    return _stack(added.shape)
