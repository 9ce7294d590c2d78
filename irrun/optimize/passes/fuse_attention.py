"""Compute attention in one step, head by head, without storing the matrix of scores.

Before: MatMul(q, kᵀ) → Multiply(scale) → Add(bias) → Add(mask) → SoftMax(-1) → MatMul(v)
        or ScaledDotProductAttention(q, k, v, mask, scale, sink)
After:  FusedAttention(q, k, v, mask, bias, scale, sink)

Scales may be divisors, precede the product, follow a summand, or differ from head to head, which scales queries. Scores
may be capped by a Tanh, and those of hidden keys replaced by a Select. In between, a Reshape may split the batch; views
of queries, keys, values and summands do that then. A Select may replace weights that are NaN by 0.

Proof: the scale may stand at either factor, and the maximum that is subtracted from scores cancels (z3,
tests/optimize/test_identities.py). The results differ only by the rounding of these operations.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from irrun.graph import Node, Outlet
from irrun.ops import Op
from irrun.ops._declared.activation.softmax import SoftMaxV1, SoftMaxV8
from irrun.ops._declared.condition.select import Select
from irrun.ops._declared.matrix.matmul import MatMul
from irrun.optimize.patterns import first, is_plain, scalar
from irrun.optimize.rewrite import Rewriter
from irrun.optimize.scores import Scores, Summand, keeps_matrices, scores_of, unscaled
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import BOOLEAN

_MOST_AXES = 5


def run(graph: Rewriter) -> None:
    for node in graph.nodes("ScaledDotProductAttention", "SoftMax"):
        if not is_plain(graph.fact(first(node))):
            continue
        if node.type == "ScaledDotProductAttention":
            _whole(graph, node)
        else:
            _written_out(graph, node)


def _whole(graph: Rewriter, node: Node) -> None:
    from irrun.ops._declared.fused.fused_attention import FusedAttention
    from irrun.ops._declared.sequence.scaled_dot_product_attention import ScaledDotProductAttention

    assert isinstance(node.op, ScaledDotProductAttention)
    query, key, value, mask, scale, sink = [*graph.sources(node.id), None, None, None][:6]
    hidden, number, result = graph.constant(mask), scalar(graph.constant(scale)), graph.fact(first(node))
    if node.op.causal or (hidden is not None and (hidden.all() if hidden.dtype == np.bool_ else not hidden.any())):
        mask = None
    if result is None or not _fits(graph, result, (query, key, value), mask):
        return
    factor = scale if number is None else None
    op = FusedAttention(
        fact=result, scale=number if factor is None else 1.0, causal=node.op.causal, key_transposed=False
    )
    graph.replace(first(node), graph.fuse(op, _given(query, key, value, mask, None, factor, sink), [node]))


def _fits(graph: Rewriter, result: Fact, inputs: Sequence[Outlet | None], mask: Outlet | None) -> bool:
    """Return whether query, key and value have the same rank of at least three, and the mask adds no axes."""
    facts, hidden = [graph.fact(outlet) for outlet in inputs], graph.fact(mask)
    if result.rank is None or result.rank < 3:
        return False
    if any(fact is None or fact.rank != result.rank or fact.type is not result.type for fact in facts):
        return False
    if hidden is None:
        return True
    return hidden.type in (BOOLEAN, result.type) and hidden.rank is not None and hidden.rank <= result.rank


def _given(*inputs: Outlet | None) -> list[Outlet | None]:
    """Return inputs without absent ones at the end."""
    count = max(index + 1 for index, outlet in enumerate(inputs) if outlet is not None)
    return list(inputs[:count])


def _written_out(graph: Rewriter, softmax: Node) -> None:
    from irrun.ops._declared.fused.fused_attention import FusedAttention

    fact = graph.fact(first(softmax))
    if fact is None or fact.rank is None or fact.rank < 3 or not isinstance(softmax.op, SoftMaxV1 | SoftMaxV8):
        return
    after, scores = _weights(graph, softmax), scores_of(graph, graph.sources(softmax.id)[0], softmax)
    if after is None or scores is None or softmax.op.axis % fact.rank != fact.rank - 1:
        return
    product, last, changes = scores.nodes[0], after[-1], scores.changes
    assert isinstance(product.op, MatMul)
    query, from_query = unscaled(graph, graph.sources(product.id)[0], product)
    key, from_key = unscaled(graph, graph.sources(product.id)[1], product)
    value, result, products = graph.sources(last.id)[1], graph.fact(first(last)), graph.fact(first(product))
    if result is None or products is None or query is None or key is None or value is None:
        return
    arrays = [(query, products.shape), (key, products.shape), (value, result.shape)]
    arrays += [(each.outlet, each.shape) for each in changes]
    shapes: list[tuple[int, ...] | None] = [None] * len(arrays)
    stacks: tuple[int, ...] | None = None
    if any(node.type == "Reshape" for node in (*scores.nodes, *after)):
        stacks = max([fact.shape, *(each.shape for each in changes)], key=len).static[:-2]
        shapes = [_split(graph.fact(outlet), shape, stacks) for outlet, shape in arrays]
        if None in shapes:
            return
    elif not _fits(graph, result, (query, key, value), None):
        return
    for node, operand in scores.factors:
        query = _made(graph, node, node.op, [query, operand])
    changed = [_rescaled(graph, each) for each in changes]
    inputs = [
        outlet if shape is None else _viewed(graph, softmax, outlet, shape)
        for outlet, shape in zip((query, key, value, *changed), shapes, strict=True)
    ]
    size = result.shape if stacks is None else Shape((*stacks, *result.shape.static[-2:]))
    op = FusedAttention(
        fact=Fact(result.type, size),
        scale=scores.scale * from_query * from_key,
        causal=False,
        key_transposed=not product.op.transpose_b,
        cap=scores.cap,
        filling=scores.filling,
        inverted=scores.inverted,
        guarded=any(node.type == "IsNaN" for node in after),
    )
    mask, bias = _masks(graph, scores, inputs[3:])
    made = graph.fuse(op, _given(*inputs[:3], mask, bias), [*scores.nodes, softmax, *after])
    graph.replace(first(last), made if stacks is None else _viewed(graph, last, made, result.shape.static))


def _weights(graph: Rewriter, softmax: Node) -> list[Node] | None:
    """Return the layers after a SoftMax up to a product with values: IsNaN and Select, then a Reshape, if there are."""
    outlet, nodes = first(softmax), list[Node]()
    consumers = {inlet.node: graph.node(inlet.node) for inlet in graph.consumers(outlet)}
    guard = next((node for node in consumers.values() if node.type == "IsNaN"), None)
    if guard is not None:
        select = graph.only_consumer(first(guard))
        if select is None or consumers.keys() != {guard.id, select.id} or not isinstance(select.op, Select):
            return None
        condition, zero, other = graph.sources(select.id)
        if condition != first(guard) or other != outlet or scalar(graph.constant(zero)) != 0:
            return None
        nodes, outlet = [guard, select], first(select)
    last = graph.only_consumer(outlet)
    if last is not None and last.type == "Reshape" and keeps_matrices(graph, last):
        nodes, outlet, last = [*nodes, last], first(last), graph.only_consumer(first(last))
    if last is None or not isinstance(last.op, MatMul) or last.op.transpose_a or last.op.transpose_b:
        return None
    return [*nodes, last] if graph.sources(last.id)[0] == outlet else None


def _split(fact: Fact | None, scores: Shape, stacks: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return the shape of an array that broadcasts to ``scores``, whose stacks are split into others."""
    if fact is None or not fact.shape.is_static or not scores.is_static or len(fact.shape) > len(scores):
        return None
    sizes = (1,) * (len(scores) - len(fact.shape)) + fact.shape.static
    left, result = list(stacks), list[int]()
    for size, whole in zip(sizes[:-2], scores.static[:-2], strict=True):
        group = [1]
        while math.prod(group) < whole and left:
            group.append(left.pop(0))
        if math.prod(group) != whole or size not in (1, whole):
            return None
        result += [1] * (len(group) - 1) if size == 1 else group[1:]
    return (*result, *sizes[-2:]) if not left else None


def _viewed(graph: Rewriter, node: Node, outlet: Outlet, shape: tuple[int, ...]) -> Outlet:
    """Return a tensor in another shape."""
    from irrun.ops._declared.fused.fused_views import FusedView

    fact = graph.fact(outlet)
    assert fact is not None
    if fact.shape.static == shape:
        return outlet
    return _made(graph, node, FusedView(fact=Fact(fact.type, Shape(shape)), shape=shape, order=None), [outlet])


def _made(graph: Rewriter, node: Node, op: Op | None, inputs: Sequence[Outlet]) -> Outlet:
    """Add a layer in place of ``node``, which is computed now if its inputs are constants."""
    assert op is not None
    made = graph.fuse(op, inputs, [node])
    values = [graph.constant(outlet) for outlet in inputs]
    if all(value is not None for value in values):
        graph.set_constant(made, op.run(*values))
    return made


def _rescaled(graph: Rewriter, summand: Summand) -> Outlet:
    """Return a summand, multiplied as the sum is."""
    outlet = summand.outlet
    for node, operand, port in summand.scales:
        outlet = _made(graph, node, node.op, [operand, outlet] if port == 1 else [outlet, operand])
    return outlet


def _masks(graph: Rewriter, scores: Scores, changed: list[Outlet]) -> tuple[Outlet | None, Outlet | None]:
    """Return the mask and the bias; some summands are added first if there are more."""
    summands, mask = (changed, None) if scores.mask is None else (changed[:-1], changed[-1])
    adds = [node for node in scores.nodes if node.type == "Add"]
    while len(summands) > (2 if mask is None else 1):
        a, b, *rest = sorted(summands, key=lambda outlet: graph.constant(outlet) is None)
        summands = [_made(graph, adds[0], adds[0].op, [a, b]), *rest]
    if mask is None and summands:
        *summands, mask = summands
    return mask, summands[0] if summands else None
