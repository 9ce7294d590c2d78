"""Pool without indices where nobody takes them.

Before: MaxPool-8(x) → values, indices, of which indices feed nothing
After:  FusedMaxPool(x) → values
"""

from __future__ import annotations

from irrun.graph import Outlet
from irrun.ops.fused.fused_max_pool import FusedMaxPool
from irrun.ops.pooling.base import pooling_windows
from irrun.ops.pooling.max_pool import MaxPoolV8, MaxPoolV14
from irrun.optimize.patterns import first
from irrun.optimize.rewrite import Rewriter
from irrun.optimize.settings import Settings

ORDER = 30


def run(graph: Rewriter, settings: Settings) -> None:  # noqa: ARG001
    for node in graph.nodes("MaxPool"):
        op = node.op
        fact = graph.fact(first(node))
        if not isinstance(op, MaxPoolV8 | MaxPoolV14) or fact is None or graph.consumers(Outlet(node.id, 1)):
            continue
        windows = pooling_windows(
            op.kernel, op.strides, op.dilations, op.pads_begin, op.pads_end, op.auto_pad, op.rounding_type
        )
        graph.replace(first(node), graph.add(FusedMaxPool(fact, op.kernel, windows), graph.sources(node.id), [node]))
