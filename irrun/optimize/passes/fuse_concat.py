"""Let concatenations of channels share what they begin with.

Before: c = Concat(x, y), d = Concat(x, y, z)
After:  c = Concat(x, y), d = Concat(c, z)

A compiled program computes each of them where the next one is, so that nothing is copied twice.

Proof: all axes of up to three, and sizes of up to 2, bit by bit (tests/optimize/test_exhaustive.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from irrun.graph import Node, Outlet
from irrun.ops._declared.movement.concat import Concat
from irrun.optimize.patterns import first
from irrun.optimize.rewrite import Rewriter
from irrun.tensor.element_type import F32

_CHANNELS = 1


def run(graph: Rewriter) -> None:
    nodes = [node for node in graph.nodes("Concat") if _joins_channels(graph, node)]
    made: dict[int, tuple[Sequence[Outlet | None], Outlet]] = {}
    for node in sorted(nodes, key=lambda node: len(graph.sources(node.id))):
        inputs, outlet = graph.sources(node.id), first(node)
        keys = list(accumulate(inputs, _extended, initial=0))
        for count in range(len(inputs) - 1, 1, -1):
            beginning, whole = made.get(keys[count], ((), None))
            if whole is not None and node.op is not None and beginning == inputs[:count]:
                outlet = graph.fuse(node.op, [whole, *inputs[count:]], [node])
                graph.replace(first(node), outlet)
                break
        made[keys[-1]] = inputs, outlet


def _extended(key: int, outlet: Outlet | None) -> int:
    return hash((key, outlet))


def _joins_channels(graph: Rewriter, node: Node) -> bool:
    fact = graph.fact(first(node))
    if not isinstance(node.op, Concat) or fact is None or fact.rank is None or graph.constant(first(node)) is not None:
        return False
    if len(graph.sources(node.id)) < 2:
        return False
    return fact.type is F32 and fact.shape.is_static and fact.rank > 2 and node.op.axis % fact.rank == _CHANNELS
