"""Take values that inference already knows instead of computing them.

Before: ShapeOf(x f32[2,12]) → Gather → Concat → Reshape
After:  Reshape with the constant that Concat gives
"""

from __future__ import annotations

from irrun.graph import Outlet
from irrun.optimize.rewrite import Rewriter
from irrun.optimize.settings import Settings

ORDER = 10


def run(graph: Rewriter, settings: Settings) -> None:  # noqa: ARG001
    for node in graph.nodes():
        for port in range(node.outputs):
            outlet = Outlet(node.id, port)
            fact = graph.fact(outlet) if graph.constant(outlet) is None else None
            if fact is not None and fact.halves is None and fact.constant is not None:
                graph.settle(outlet, fact.constant)
    graph.trim()
