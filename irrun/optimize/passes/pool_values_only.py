"""Pool without computing indices that have no consumer.

Before: MaxPool-8(x) → values, indices, where indices has no consumer; or MaxPool-1(x)
After:  FusedMaxPool(x) → values

Proof: all small windows, strides, pads and roundings, bit by bit (tests/optimize/test_exhaustive.py).
"""

from __future__ import annotations

from irrun.graph import Outlet
from irrun.ops._declared.fused.fused_functions import FusedMaxPool
from irrun.ops._declared.pooling.max_pool import MaxPoolV1, MaxPoolV8, MaxPoolV14, indexed_windows
from irrun.optimize.patterns import first
from irrun.optimize.rewrite import Rewriter


def run(graph: Rewriter) -> None:
    for node in graph.nodes("MaxPool"):
        op = node.op
        fact = graph.fact(first(node))
        if not isinstance(op, MaxPoolV1 | MaxPoolV8 | MaxPoolV14) or fact is None:
            continue
        if graph.consumers(Outlet(node.id, 1)):
            continue
        windows = op.windows() if isinstance(op, MaxPoolV1) else indexed_windows(op)
        graph.replace(
            first(node),
            graph.fuse(FusedMaxPool(fact=fact, kernel=op.kernel, windows=windows), graph.sources(node.id), [node]),
        )
