"""Keep weights in few bits, and let products and gathers decompress a part at a time.

Before: Const(u8) → Convert → Subtract(zero) → Multiply(scale) → MatMul(x, ·) → Add(bias) → ReLU
After:  FusedPackedMatMul(x)

Before: Const(u8) → Convert → Subtract(zero) → Multiply(scale) → Gather(·, indices)
After:  FusedPackedGather(indices)

``irrun.optimize.packed`` chooses the weights beforehand. Those that no step consumes in this form are decompressed at
the end.

With ``DYNAMIC_QUANTIZATION_GROUP_SIZE``, x is rounded to integers of 8 bits on the way, as that asks for.

Proof: zero point and scale of a column may be applied to the sum (z3, tests/optimize/test_identities.py), but for
the roundings of the products.
"""

from __future__ import annotations

from irrun.graph import Node, Outlet
from irrun.ops._declared.matrix.matmul import MatMul
from irrun.optimize.following_layers import FollowingLayers
from irrun.optimize.patterns import first
from irrun.optimize.rewrite import Rewriter


def run(graph: Rewriter) -> None:
    for node in graph.nodes("MatMul", "Gather"):
        if isinstance(node.op, MatMul):
            _multiply(graph, node, node.op.transpose_b)
        else:
            _gather(graph, node)


def _multiply(graph: Rewriter, node: Node, transposed: bool) -> None:
    data, other = graph.sources(node.id)
    packed, given = graph.packed(other), graph.fact(data)
    matrix = None if packed is None else packed.matrix(transposed)
    if matrix is None or given is None or given.rank is None:
        return
    from irrun.ops._declared.fused.fused_packed_matmul import FusedPackedMatMul

    end = FollowingLayers(graph, node, axis=given.rank - 1, size=matrix.shape[1])
    if end.scale is not None:
        matrix = matrix.scaled(end.scale)
    inputs: list[Outlet | None] = [data] if end.summand is None else [data, end.summand]
    size = graph.settings.group_size if matrix.stored.dtype.kind in "iu" else 0
    op = FusedPackedMatMul(fact=end.fact, weights=matrix, bias=end.bias, activation=end.activation, group_size=size)
    graph.replace(first(end.last), graph.fuse(op, inputs, end.nodes))


def _gather(graph: Rewriter, node: Node) -> None:
    data, indices, _ = graph.sources(node.id)
    packed, fact = graph.packed(data), graph.fact(first(node))
    if packed is None or fact is None:
        return
    from irrun.ops._declared.fused.fused_packed_gather import FusedPackedGather
    from irrun.ops._declared.movement.gather import GatherV8

    from_end = isinstance(node.op, GatherV8) or graph.constant(indices) is not None
    op = FusedPackedGather(
        fact=fact, stored=packed.stored, zero=packed.zero, scale=packed.scale, row=packed.shape[1:], from_end=from_end
    )
    graph.replace(first(node), graph.fuse(op, [indices], [node]))
