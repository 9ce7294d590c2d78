"""Compute once what several layers compute from the same inputs: common subexpressions.

Before: x → ShapeOf → Gather(0) → Concat(2) → a, and x → ShapeOf → Gather(0) → Concat(2) → b
After:  x → ShapeOf → Gather(0) → Concat(2) → a and b

Random layers, those with bodies, and those that read or write variables stay as they are. So do two layers of which
the file marks one as f32.

Proof: all pairs of permutations of shapes of up to three axes of 1 or 2, bit by bit
(tests/optimize/test_exhaustive.py).
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

from irrun.graph import Node, Outlet
from irrun.graph.marks import keeps_f32
from irrun.ops import Fold
from irrun.optimize.rewrite import Rewriter
from irrun.tensor import Array

_FEW: Final = 128
"""Bytes of constants that are compared; larger ones are equal where they are the same memory."""


def run(graph: Rewriter) -> None:
    first: dict[Hashable, Node] = {}
    for node in graph.nodes():
        if node.op is None or node.op.foldable is Fold.NEVER or not node.inputs:
            continue
        key = (
            node.op,
            node.outputs,
            keeps_f32(node.info.layer),
            *(_identity(graph, outlet) for outlet in graph.sources(node.id)),
        )
        other = first.setdefault(key, node)
        if other is not node and _is_alike(graph, node, other):
            graph.replace_all(node.id, other.id)


def _identity(graph: Rewriter, outlet: Outlet | None) -> Hashable:
    """Return the key that equal inputs share: the outlet, or the constant."""
    value = graph.constant(outlet)
    if value is None or value.dtype.hasobject:
        return outlet
    return (value.dtype, value.shape, value.tobytes() if value.nbytes <= _FEW else _memory(value))


def _memory(value: Array) -> Hashable:
    return value.__array_interface__["data"][0], value.strides


def _is_alike(graph: Rewriter, node: Node, other: Node) -> bool:
    """Return whether what inference found of the outputs of two nodes agrees."""
    pairs = zip(graph.outputs(node.id), graph.outputs(other.id), strict=True)
    facts = ((graph.facts[a], graph.facts[b]) for a, b in pairs)
    return all(a.type is b.type and a.shape.compatible(b.shape) for a, b in facts)
