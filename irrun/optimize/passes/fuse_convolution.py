"""A convolution with constant weights, with all that follows it channel by channel and element by element.

Before: Convolution(x, W) → Multiply(scale) → Add(shift) → BatchNormInference → Add(residual) → ReLU
After:  FusedConvolution(x, residual)

What is multiplied with each channel is folded into the weights, what is added to it into a bias. The kernel, and the
weights in the form that it wants, are made once.
"""

from __future__ import annotations

from irrun.graph import Node, Outlet
from irrun.ops.convolution.convolution import Convolution
from irrun.ops.convolution.group_convolution import GroupConvolution
from irrun.ops.fused.fused_convolution import FusedConvolution
from irrun.optimize.epilogue import Epilogue
from irrun.optimize.patterns import first, is_plain
from irrun.optimize.rewrite import Rewriter
from irrun.optimize.settings import Settings

ORDER = 60


def run(graph: Rewriter, settings: Settings) -> None:
    for node in graph.nodes("Convolution", "GroupConvolution"):
        _fuse(graph, node, settings)


def _fuse(graph: Rewriter, node: Node, settings: Settings) -> None:
    data, kernel = graph.sources(node.id)
    weights, fact, given = graph.constant(kernel), graph.fact(first(node)), graph.fact(data)
    if not isinstance(node.op, Convolution | GroupConvolution) or weights is None or data is None or given is None:
        return
    if fact is None or not is_plain(fact) or weights.size == 0:
        return
    grouped = weights if isinstance(node.op, GroupConvolution) else weights[None]
    filters = grouped.shape[0] * grouped.shape[1]
    end = Epilogue(graph, node, axis=1, size=filters)
    if end.scale is not None:
        grouped = grouped * end.scale.reshape(*grouped.shape[:2], *(1,) * (grouped.ndim - 2))
    op = FusedConvolution(end.fact, node.op, grouped, end.bias, end.activation, settings.accurate)
    if given.shape.is_static:
        op.prepare(given.shape.static)
    inputs: list[Outlet | None] = [data] if end.summand is None else [data, end.summand]
    graph.replace(first(end.last), graph.add(op, inputs, end.nodes))
