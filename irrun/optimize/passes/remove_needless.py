"""Remove layers that change nothing, and the beta of a Swish that is 1.

Before: x f32[2,3] → Convert(f32) → Reshape([2,3]) → Transpose([0,1]) → Identity → Swish(·, 1) → y
After:  x → Swish → y

Proof: all targets and permutations of shapes of up to three axes of up to 3, bit by bit
(tests/optimize/test_exhaustive.py).
"""

from __future__ import annotations

from irrun.graph import Node
from irrun.optimize.patterns import first, same_shape, scalar
from irrun.optimize.rewrite import Rewriter

_COPIES = ("Broadcast", "Convert", "Identity", "Tile")
"""Layers besides views that change nothing if they change neither type nor shape."""


def run(graph: Rewriter) -> None:
    for node in graph.nodes(*_COPIES, views=True):
        sources = graph.sources(node.id)
        source = sources[0] if sources else None
        if source is None or graph.constant(first(node)) is not None:
            continue
        if _keeps(graph, node) and same_shape(graph.fact(source), graph.fact(first(node))):
            graph.replace(first(node), source)
    for node in graph.nodes("Swish"):
        data, *beta = graph.sources(node.id)
        if beta and node.op is not None and scalar(graph.constant(beta[0])) == 1:
            graph.replace(first(node), graph.fuse(node.op, [data], [node]))


def _keeps(graph: Rewriter, node: Node) -> bool:
    """Return whether a node is the identity, provided that type and shape are those of its input."""
    if node.type != "Transpose":
        return graph.is_determined(node)
    order = graph.constant(graph.sources(node.id)[1])
    return order is not None and order.size > 0 and order.tolist() == list(range(order.size))
