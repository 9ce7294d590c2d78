"""Fuse a product by constant weights with the element-wise layers after it.

Before: MatMul(x, W) → Add(bias) → Add(residual) → ReLU
After:  FusedMatMul(x, residual)

Factors of columns are folded into the weights.

Proof: the identities of factors and summands (z3, tests/optimize/test_identities.py), and all small sizes, bit by
bit where numbers are integers (tests/optimize/test_exhaustive.py). Otherwise results differ by the roundings of the
weights that are multiplied, half a unit in the last place each, and of the sums.
"""

from __future__ import annotations

import numpy as np

from irrun.graph import Node, Outlet
from irrun.ops._declared.fused.fused_products import FusedMatMul
from irrun.ops._declared.matrix.matmul import MatMul
from irrun.optimize.following_layers import FollowingLayers
from irrun.optimize.patterns import first, is_plain
from irrun.optimize.rewrite import Rewriter


def run(graph: Rewriter) -> None:
    for node in graph.nodes("MatMul"):
        _fuse(graph, node)


def _fuse(graph: Rewriter, node: Node) -> None:
    data, other = graph.sources(node.id)
    weights, fact, given = graph.constant(other), graph.fact(first(node)), graph.fact(data)
    if not isinstance(node.op, MatMul) or weights is None or data is None or not is_plain(fact) or fact is None:
        return
    if weights.ndim != 2 or node.op.transpose_a or given is None or given.rank is None or given.rank < 2:
        return
    matrix = weights.T if node.op.transpose_b else weights
    end = FollowingLayers(graph, node, axis=given.rank - 1, size=matrix.shape[1])
    if end.scale is not None:
        matrix = np.ascontiguousarray(matrix * end.scale)
    inputs: list[Outlet | None] = [data] if end.summand is None else [data, end.summand]
    op = FusedMatMul(fact=end.fact, weights=matrix, bias=end.bias, activation=end.activation)
    graph.replace(first(end.last), graph.fuse(op, inputs, end.nodes))
