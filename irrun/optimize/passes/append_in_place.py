"""Append to variables in place, such as the keys and values of a language model.

Before: r = ReadValue(v), c = Concat(Gather(r, beams), new), Assign(v, c)
After:  c = FusedAppend(new), Assign(v, c)

The Gather may be absent. The buffer of the variable has room for more.

Before: Gather(ShapeOf(Gather(r, beams, axis=0)), 2)
After:  Gather(ShapeOf(r), 2)

Proof: all axes, lengths and initial lengths up to 2, bit by bit (tests/optimize/test_exhaustive.py).
"""

from __future__ import annotations

from irrun.graph import Node
from irrun.ops._declared.fused.fused_append import FusedAppend
from irrun.ops._declared.infrastructure.assign import Assign3, Assign6
from irrun.ops._declared.infrastructure.read_value import ReadValue3, ReadValue6
from irrun.ops._declared.movement.concat import Concat
from irrun.ops._declared.movement.gather import GatherV7, GatherV8
from irrun.optimize.patterns import first, is_plain
from irrun.optimize.rewrite import Rewriter


def run(graph: Rewriter) -> None:
    for node in graph.nodes("ShapeOf"):
        _measure(graph, node)
    for node in graph.nodes("Concat"):
        _append(graph, node)


def _append(graph: Rewriter, node: Node) -> None:
    fact, sources = graph.fact(first(node)), graph.sources(node.id)
    if not isinstance(node.op, Concat) or len(sources) != 2 or fact is None or not is_plain(fact) or not fact.rank:
        return
    past, order, from_end = graph.maker(sources[0]), None, False
    axis = node.op.axis % fact.rank
    if past is not None and isinstance(past.op, GatherV7 | GatherV8):
        order, from_end = graph.sources(past.id)[1], isinstance(past.op, GatherV8)
        along, orders = graph.constant(graph.sources(past.id)[2]), graph.fact(order)
        if along is None or along.size != 1 or along.reshape(-1)[0] != 0 or orders is None or orders.rank != 1:
            return
        if axis == 0 or past.op.batch_dims or orders.value is not None:
            return
        past = graph.maker(graph.sources(past.id)[0])
    if past is None or not isinstance(past.op, ReadValue3 | ReadValue6):
        return
    takers = [graph.node(inlet.node).op for inlet in graph.consumers(first(node))]
    names = [taker.variable_id for taker in takers if isinstance(taker, Assign3 | Assign6)]
    if past.op.variable_id not in names:
        return
    init = graph.sources(past.id)[0] if graph.sources(past.id) else None
    op = FusedAppend(fact=fact, read=past.op, axis=axis, from_end=from_end)
    graph.replace(first(node), graph.fuse(op, [sources[1], init, order], [node]))


def _measure(graph: Rewriter, node: Node) -> None:
    """Read sizes from a variable where a Gather, which does not change them, would copy it."""
    past = graph.maker(graph.sources(node.id)[0])
    if past is None or not isinstance(past.op, GatherV7 | GatherV8) or node.op is None:
        return
    data, order, along = graph.sources(past.id)
    orders, axis = graph.fact(order), graph.constant(along)
    held = None if data is None else graph.node(data.node)
    if data is None or held is None or not isinstance(held.op, ReadValue3 | ReadValue6):
        return
    if axis is None or axis.reshape(-1).tolist() != [0] or orders is None or orders.rank != 1 or past.op.batch_dims:
        return
    if all(_picks(graph, inlet.node) for inlet in graph.consumers(first(node))):
        graph.replace(first(node), graph.fuse(node.op, [data], [node]))


def _picks(graph: Rewriter, id: int) -> bool:
    """Return whether a layer picks sizes other than the first."""
    node = graph.node(id)
    places = graph.constant(graph.sources(id)[1]) if isinstance(node.op, GatherV7 | GatherV8) else None
    return places is not None and bool((places > 0).all())
