"""Read constant target shapes and permutations of axes once instead of in every run.

Before: Reshape(x, [2, -1, 4]) → Transpose([0, 2, 1]) → Unsqueeze(0)
After:  FusedView(x) → FusedView → FusedView

Proof: all targets and permutations of shapes of up to three axes of up to 3, bit by bit
(tests/optimize/test_exhaustive.py).
"""

from __future__ import annotations

from irrun.graph import Node
from irrun.ops.fused.fused_view import FusedView
from irrun.optimize.patterns import first
from irrun.optimize.rewrite import Rewriter


def run(graph: Rewriter) -> None:
    for node in graph.nodes(views=True):
        op = _view(graph, node)
        if op is not None:
            graph.replace(first(node), graph.fuse(op, graph.sources(node.id)[:1], [node]))


def _view(graph: Rewriter, node: Node) -> FusedView | None:
    sources, fact = graph.sources(node.id), graph.fact(first(node))
    given = graph.fact(sources[0]) if sources else None
    if fact is None or given is None or graph.constant(first(node)) is not None:
        return None
    if node.type == "Transpose":
        order = graph.constant(sources[1])
        return FusedView(fact, None, tuple(order.tolist())) if order is not None and order.size else None
    known = fact.shape.is_static and given.shape.is_static
    return FusedView(fact, fact.shape.static, None) if known else None
