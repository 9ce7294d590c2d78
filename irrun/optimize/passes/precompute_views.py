"""Read constant target shapes and permutations of axes once instead of in every run.

Before: Reshape(x, [2, -1, 4]) → Transpose([0, 2, 1]) → Unsqueeze(0)
After:  FusedView(x) → FusedView → FusedView

Before: Reshape(x, [2, -1, 4]) → Unsqueeze(0)
After:  FusedView(x)

Proof: all targets and permutations of shapes of up to three axes of up to 3, bit by bit
(tests/optimize/test_exhaustive.py).
"""

from __future__ import annotations

from irrun.graph import Node, Outlet
from irrun.ops._declared.fused.fused_views import FusedView
from irrun.optimize.patterns import first
from irrun.optimize.rewrite import Rewriter


def run(graph: Rewriter) -> None:
    for node in graph.nodes("FusedView", views=True):
        op = node.op if isinstance(node.op, FusedView) else _view(graph, node)
        data = _before(graph, node) if op is not None and op.shape is not None else graph.sources(node.id)[0]
        fact = graph.fact(data)
        if op is None or data is None or fact is None or graph.constant(first(node)) is not None:
            continue
        if op.shape is not None and fact.shape.is_static and fact.shape.static == op.shape:
            graph.replace(first(node), data)
        elif op is not node.op or data != graph.sources(node.id)[0]:
            graph.replace(first(node), graph.fuse(op, [data], [node]))


def _before(graph: Rewriter, node: Node) -> Outlet | None:
    """Return the tensor before several views in other shapes, of which a node is the last."""
    data, view = graph.sources(node.id)[0], graph.source(node.id, 0)
    while view is not None and isinstance(view.op, FusedView) and view.op.shape is not None and view.inputs:
        data, view = graph.sources(view.id)[0], graph.source(view.id, 0)
    return data


def _view(graph: Rewriter, node: Node) -> FusedView | None:
    sources, fact = graph.sources(node.id), graph.fact(first(node))
    given = graph.fact(sources[0]) if sources else None
    if fact is None or given is None or graph.constant(first(node)) is not None:
        return None
    if node.type == "Transpose":
        order = graph.constant(sources[1])
        return (
            FusedView(fact=fact, shape=None, order=tuple(order.tolist())) if order is not None and order.size else None
        )
    known = fact.shape.is_static and given.shape.is_static
    return FusedView(fact=fact, shape=fact.shape.static, order=None) if known else None
