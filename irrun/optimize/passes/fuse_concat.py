"""Join tensors in memory that is taken again.

Before: Concat(a, b)
After:  FusedConcat(a, b)
"""

from __future__ import annotations

from irrun.graph import Node
from irrun.ops.fused.fused_concat import FusedConcat
from irrun.ops.movement.concat import Concat
from irrun.optimize.patterns import first, is_plain
from irrun.optimize.rewrite import Rewriter
from irrun.optimize.settings import Settings

ORDER = 95

_LEAST_BYTES = 1 << 16


def run(graph: Rewriter, settings: Settings) -> None:  # noqa: ARG001
    for node in graph.nodes("Concat"):
        if _is_large(graph, node) and isinstance(node.op, Concat):
            fact = graph.fact(first(node))
            if fact is not None and fact.rank is not None:
                op = FusedConcat(fact, node.op.axis % fact.rank)
                graph.replace(first(node), graph.add(op, graph.sources(node.id), [node]))


def _is_large(graph: Rewriter, node: Node) -> bool:
    fact = graph.fact(first(node))
    if fact is None or not is_plain(fact) or fact.rank is None or not graph.sources(node.id):
        return False
    return not fact.shape.is_static or fact.shape.size.lo * fact.type.dtype.itemsize >= _LEAST_BYTES
