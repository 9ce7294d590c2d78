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
    for node in graph.nodes("ConvolutionBackpropData"):
        _fuse(graph, node)


def _fuse(graph: Rewriter, node: Node) -> None:
    from irrun.ops.convolution.convolution_backprop_data import ConvolutionBackpropData
    from irrun.ops.fused.fused_transposed_convolution import FusedTransposedConvolution

    data, kernel, *rest = graph.sources(node.id)
    weights, fact = graph.constant(kernel), graph.fact(first(node))
    wanted = graph.constant(rest[0]) if rest else None
    if not isinstance(node.op, ConvolutionBackpropData) or weights is None or data is None or fact is None:
        return
    if not is_plain(fact) or weights.ndim != 4 or weights.size == 0 or (any(rest) and wanted is None):
        return
    end = FollowingLayers(graph, node, axis=1, size=weights.shape[1])
    if end.scale is not None:
        weights = weights * end.scale[:, None, None]
    sizes = None if wanted is None else tuple(wanted.tolist())
    op = FusedTransposedConvolution(end.fact, node.op, weights, end.bias, end.activation, sizes)
    inputs: list[Outlet | None] = [data] if end.summand is None else [data, end.summand]
    graph.replace(first(end.last), graph.fuse(op, inputs, end.nodes))
