"""Write concatenations into output buffers that are reused.

Before: Concat(a, b)
After:  FusedConcat(a, b)

Before: c = Concat(x, y), d = Concat(c, z), e = Concat(d, w), all along the channels
After:  c, d and e are FusedConcats that share one buffer; d and e copy only the channels that they append

A Concat that repeats all inputs of another before its own, as in c = Concat(x, y), d = Concat(x, y, z), appends to it.

Proof: all axes of up to three, and sizes of up to 2, bit by bit (tests/optimize/test_exhaustive.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from irrun.graph import Node, Outlet
from irrun.ops._declared.fused.fused_concat import FusedConcat
from irrun.ops._declared.movement.concat import Concat
from irrun.optimize.channels import may_be_channel_slice
from irrun.optimize.patterns import first, is_plain
from irrun.optimize.rewrite import Rewriter
from irrun.tensor.element_type import F32

_LEAST_BYTES = 1 << 16

_CHANNELS = 1


def run(graph: Rewriter) -> None:
    _share_beginnings(graph)
    for node in graph.nodes("Concat"):
        chain = _chain(graph, node)
        if len(chain) > 1 and _is_large(graph, chain[-1]):
            _grow(graph, chain)
        elif _is_large(graph, node):
            _fuse(graph, node)


def _share_beginnings(graph: Rewriter) -> None:
    """Let each Concat of channels begin with the longest other one whose inputs are the first of its own."""
    nodes = [node for node in graph.nodes("Concat") if _can_grow(graph, node)]
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


def _chain(graph: Rewriter, node: Node) -> list[Node]:
    """Return a node and its successors, each the only consumer that appends channels to the previous one."""
    chain = [node]
    while _can_grow(graph, chain[-1]):
        link = first(chain[-1])
        consumers = [graph.node(inlet.node) for inlet in graph.consumers(link) if inlet.port == 0]
        growers = [consumer for consumer in consumers if _can_grow(graph, consumer)]
        if len(growers) != 1 or not may_be_channel_slice(graph, link):
            break
        chain += growers
    return chain


def _can_grow(graph: Rewriter, node: Node) -> bool:
    fact = graph.fact(first(node))
    if not isinstance(node.op, Concat) or fact is None or fact.rank is None or graph.constant(first(node)) is not None:
        return False
    if len(graph.sources(node.id)) < 2:
        return False
    return fact.type is F32 and fact.shape.is_static and fact.rank > 2 and node.op.axis % fact.rank == _CHANNELS


def _grow(graph: Rewriter, chain: list[Node]) -> None:
    longest = graph.fact(first(chain[-1]))
    assert longest is not None
    room = longest.shape[_CHANNELS].lo
    for node in chain:
        fact = graph.fact(first(node))
        assert fact is not None
        op = FusedConcat(fact=fact, axis=_CHANNELS, room=room, grows=node is not chain[0])
        graph.replace(first(node), graph.fuse(op, graph.sources(node.id), [node]))


def _fuse(graph: Rewriter, node: Node) -> None:
    fact = graph.fact(first(node))
    if isinstance(node.op, Concat) and fact is not None and fact.rank is not None:
        op = FusedConcat(fact=fact, axis=node.op.axis % fact.rank)
        graph.replace(first(node), graph.fuse(op, graph.sources(node.id), [node]))


def _is_large(graph: Rewriter, node: Node) -> bool:
    fact = graph.fact(first(node))
    if fact is None or not is_plain(fact) or fact.rank is None or not graph.sources(node.id):
        return False
    return not fact.shape.is_static or fact.shape.size.lo * fact.type.dtype.itemsize >= _LEAST_BYTES
