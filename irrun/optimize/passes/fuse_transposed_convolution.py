"""Fuse a transposed convolution by constant weights with the channel-wise and element-wise layers after it.

Before: ConvolutionBackpropData(x, W) → Add(bias) → ReLU
After:  FusedTransposedConvolution(x)

Proof: the identities of factors and summands (z3, tests/optimize/test_identities.py), and all small
windows, bit by bit where numbers are integers (tests/optimize/test_exhaustive.py).
"""

from __future__ import annotations

from irrun.graph import Node, Outlet
from irrun.optimize.following_layers import FollowingLayers
from irrun.optimize.patterns import first, is_plain
from irrun.optimize.rewrite import Rewriter


def run(graph: Rewriter) -> None:
    for node in graph.nodes("ConvolutionBackpropData", "GroupConvolutionBackpropData"):
        _fuse(graph, node)


def _fuse(graph: Rewriter, node: Node) -> None:
    from irrun.ops._declared.convolution.transposed import TransposedConvolving
    from irrun.ops._declared.fused.fused_products import FusedTransposedConvolution

    data, filters, *rest = graph.sources(node.id)
    weights, fact = graph.constant(filters), graph.fact(first(node))
    wanted = graph.constant(rest[0]) if rest else None
    if not isinstance(node.op, TransposedConvolving) or weights is None or data is None or fact is None:
        return
    if not is_plain(fact) or weights.size == 0 or (any(rest) and wanted is None):
        return
    grouped = weights if node.type == "GroupConvolutionBackpropData" else weights[None]
    groups, _, each, *kernel = grouped.shape
    end = FollowingLayers(graph, node, axis=1, size=groups * each)
    if end.scale is not None:
        grouped = grouped * end.scale.reshape(groups, 1, each, *(1,) * len(kernel))
    sizes = None if wanted is None else tuple(wanted.tolist())
    op = FusedTransposedConvolution(
        fact=end.fact, source=node.op, weights=grouped, bias=end.bias, activation=end.activation, wanted=sizes
    )
    inputs: list[Outlet | None] = [data] if end.summand is None else [data, end.summand]
    graph.replace(first(end.last), graph.fuse(op, inputs, end.nodes))
