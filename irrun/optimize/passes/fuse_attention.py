"""Compute attention in one step, head by head, without storing the matrix of scores.

Before: MatMul(q, kᵀ) → Multiply(scale) → Add(mask) → SoftMax(-1) → MatMul(v)
        or ScaledDotProductAttention(q, k, v, mask, scale)
After:  FusedAttention(q, k, v, mask)

The scale may be a divisor, or precede the product; mask and scale may be absent.

Proof: the scale may stand at either factor, and the maximum that is subtracted from scores cancels (z3,
tests/optimize/test_identities.py). The results differ only by the rounding of these operations.
"""

from __future__ import annotations

from collections.abc import Sequence

from irrun.graph import Node, Outlet
from irrun.ops.activation.softmax import SoftMaxV1, SoftMaxV8
from irrun.ops.matrix.matmul import MatMul
from irrun.optimize.patterns import broadcasts_as_numpy, first, is_plain, scalar, scalar_operand, scalar_over
from irrun.optimize.rewrite import Rewriter
from irrun.tensor.element_type import BOOLEAN


def run(graph: Rewriter) -> None:
    for node in graph.nodes("ScaledDotProductAttention", "SoftMax"):
        if not is_plain(graph.fact(first(node))):
            continue
        if node.type == "ScaledDotProductAttention":
            _whole(graph, node)
        else:
            _written_out(graph, node)


def _whole(graph: Rewriter, node: Node) -> None:
    from irrun.ops.sequence.scaled_dot_product_attention import ScaledDotProductAttention

    assert isinstance(node.op, ScaledDotProductAttention)
    causal = node.op.causal  # then the operation ignores its mask
    inputs = list(graph.sources(node.id))
    inputs += [None] * (6 - len(inputs))
    mask, scale, sink = inputs[3:6]
    factor = None if scale is None else scalar(graph.constant(scale))
    if sink is not None or (scale is not None and factor is None):
        return
    mask = None if causal else mask
    _replace(graph, [node], (*inputs[:3], mask), factor, causal=causal, key_transposed=False)


def _written_out(graph: Rewriter, softmax: Node) -> None:
    fact = graph.fact(first(softmax))
    last = graph.only_consumer(first(softmax))
    if fact is None or fact.rank is None or fact.rank < 3 or last is None or not isinstance(last.op, MatMul):
        return
    if not isinstance(softmax.op, SoftMaxV1 | SoftMaxV8) or softmax.op.axis % fact.rank != fact.rank - 1:
        return
    if last.op.transpose_a or last.op.transpose_b or graph.sources(last.id)[0] != first(softmax):
        return
    value, mask, scale = graph.sources(last.id)[1], None, 1.0
    scores = graph.sources(softmax.id)[0]
    node = _lone(graph, scores, softmax)
    if node is not None and node.type == "Add" and broadcasts_as_numpy(node):
        sides = [_product(graph, outlet, node) for outlet in graph.sources(node.id)]
        if (sides[0] is None) == (sides[1] is None):
            return
        side = 0 if sides[0] is not None else 1
        scores, mask = graph.sources(node.id)[side], graph.sources(node.id)[1 - side]
        node = _lone(graph, scores, node)
    if node is not None and node.type in ("Multiply", "Divide"):
        found = _scale(graph, node)
        if found is None:
            return
        scores, scale = found
        node = _lone(graph, scores, node)
    if node is None or not isinstance(node.op, MatMul) or node.op.transpose_a:
        return
    query, key = graph.sources(node.id)
    is_transposed = not node.op.transpose_b
    _replace(graph, [node, softmax, last], (query, key, value, mask), scale, causal=False, key_transposed=is_transposed)


def _product(graph: Rewriter, outlet: Outlet | None, user: Node) -> Node | None:
    """Return the MatMul that computes an outlet, possibly scaled, if ``user`` is its only consumer."""
    node = _lone(graph, outlet, user)
    if node is not None and node.type in ("Multiply", "Divide"):
        found = _scale(graph, node)
        node = None if found is None else _lone(graph, found[0], node)
    return node if node is not None and isinstance(node.op, MatMul) else None


def _scale(graph: Rewriter, node: Node) -> tuple[Outlet, float] | None:
    """Return the tensor that a Multiply or Divide scales, and its factor."""
    if node.type == "Multiply":
        return scalar_operand(graph, node)
    divisor, data = scalar_over(graph, node), graph.sources(node.id)[0]
    return None if divisor is None or divisor == 0 or data is None else (data, 1 / divisor)


def _lone(graph: Rewriter, outlet: Outlet | None, user: Node) -> Node | None:
    """Return the producer of an outlet whose only consumer is ``user``."""
    if outlet is None or graph.constant(outlet) is not None or graph.only_consumer(outlet) is not user:
        return None
    return graph.node(outlet.node)


def _replace(
    graph: Rewriter,
    nodes: Sequence[Node],
    inputs: tuple[Outlet | None, ...],
    scale: float | None,
    *,
    causal: bool,
    key_transposed: bool,
) -> None:
    """Fuse if query, key and value have the same rank of at least three, and the mask does not enlarge the batch.

    A ``scale`` of None is the default, 1 over the square root of the depth.
    """
    from irrun.ops.fused.fused_attention import FusedAttention

    facts = [graph.fact(outlet) for outlet in inputs[:3]]
    result, mask = graph.fact(first(nodes[-1])), graph.fact(inputs[3])
    if result is None or result.rank is None or result.rank < 3:
        return
    if any(fact is None or fact.rank != result.rank or fact.type is not result.type for fact in facts):
        return
    if mask is not None and (mask.type not in (BOOLEAN, result.type) or not mask.rank or mask.rank > result.rank):
        return
    for axis, size in enumerate(result.shape[:-2]):
        if not any(fact is not None and fact.shape[axis] == size for fact in facts):
            return
    op = FusedAttention(result, scale, causal, key_transposed)
    graph.replace(first(nodes[-1]), graph.fuse(op, inputs if inputs[3] is not None else inputs[:3], nodes))
