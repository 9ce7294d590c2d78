"""Join 1x1 convolutions of the same tensor into one, which reads the tensor once.

Before: FusedConvolution(x) → a, FusedConvolution(x) → b, with equal windows and activations
After:  FusedConvolution(x), with the filters of both → FusedChannels → a
                                                       → FusedChannels → b

Proof: all numbers of channels up to 3, bit by bit where numbers are integers
(tests/optimize/test_exhaustive.py).
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from irrun.graph import Node, Outlet
from irrun.ops import Fact
from irrun.ops._declared.fused.fused_products import FusedConvolution
from irrun.ops._declared.fused.fused_views import FusedChannels
from irrun.ops.shapes import with_axis
from irrun.optimize.patterns import first
from irrun.optimize.rewrite import Rewriter
from irrun.tensor import Array


def run(graph: Rewriter) -> None:
    siblings: dict[Outlet, list[tuple[Node, FusedConvolution]]] = defaultdict(list)
    for node in graph.nodes("FusedConvolution"):
        data, *rest = graph.sources(node.id)
        if isinstance(node.op, FusedConvolution) and data is not None and not rest and _can_join(graph, node, node.op):
            siblings[data].append((node, node.op))
    for waiting in siblings.values():
        while waiting:
            alike = [(node, op) for node, op in waiting if _are_alike(waiting[0][1], op)]
            waiting = [(node, op) for node, op in waiting if not _are_alike(waiting[0][1], op)]
            if len(alike) > 1:
                _join(graph, alike)


def _can_join(graph: Rewriter, node: Node, op: FusedConvolution) -> bool:
    groups, _, _, *kernel = op.weights.shape
    fact = graph.fact(first(node))
    if fact is None or fact.rank is None or groups != 1 or any(taps != 1 for taps in kernel) or op.least is not None:
        return False
    # The parts of the joined result are slices of its channels.
    consumers = [graph.node(inlet.node).op for inlet in graph.consumers(first(node))]
    return all(consumer is not None and consumer.reads_slices for consumer in consumers)


def _are_alike(a: FusedConvolution, b: FusedConvolution) -> bool:
    axes = a.weights.ndim - 3
    return a.source.windows(axes) == b.source.windows(axes) and a.activation == b.activation


def _join(graph: Rewriter, alike: list[tuple[Node, FusedConvolution]]) -> None:
    nodes, ops = zip(*alike, strict=True)
    data = graph.sources(nodes[0].id)[0]
    fact = graph.fact(first(nodes[0]))
    assert fact is not None
    weights = np.concatenate([op.weights for op in ops], axis=1)
    whole = Fact(fact.type, with_axis(fact.shape, 1, weights.shape[1]))
    op = FusedConvolution(
        fact=whole,
        source=ops[0].source,
        weights=weights,
        bias=_biases(ops),
        activation=ops[0].activation,
        accurate=ops[0].accurate,
    )
    joined = graph.fuse(op, [data], nodes)
    start = 0
    for node, part in alike:
        stop = start + part.weights.shape[1]
        graph.replace(first(node), graph.fuse(FusedChannels(fact=part.fact, start=start, stop=stop), [joined], [node]))
        start = stop


def _biases(ops: tuple[FusedConvolution, ...]) -> Array | None:
    if all(op.bias is None for op in ops):
        return None
    return np.concatenate(
        [np.zeros(op.weights.shape[1], op.weights.dtype) if op.bias is None else op.bias for op in ops]
    )
