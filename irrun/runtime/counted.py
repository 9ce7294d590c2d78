"""Count booleans: a CumSum of booleans sums integers, which a Convert that reads it gets.

Before: x boolean[5] → CumSum(boolean) → Convert(boolean → i64); CumSum → LogicalNot
After:  x boolean[5] → Convert(→ i32) → CumSum(i32) → Convert(i32 → i64); CumSum → Convert(→ boolean) → LogicalNot

Source: the CPU plugin of OpenVINO, which holds booleans as bytes and sums these. It counts modulo 256.
"""

from __future__ import annotations

from irrun.editing import MutableGraph
from irrun.graph import Graph, Node, Outlet
from irrun.inference import Facts
from irrun.ops import Op
from irrun.ops._declared.arithmetic.cum_sum import CumSum
from irrun.ops._declared.type.convert import Convert
from irrun.tensor.element_type import BOOLEAN, I32


def count_booleans(graph: Graph, facts: Facts) -> tuple[Graph, Facts]:
    """Return the graph and its facts with sums of integers for those of booleans. Bodies get plans of their own."""
    found = [node for node in graph.ordered() if isinstance(node.op, CumSum) and _is_boolean(facts, node)]
    if not found:
        return graph, facts
    edited = MutableGraph(graph, facts)
    for node in found:
        data, *axis = edited.sources(node.id)
        numbers = Outlet(edited.add(_part(node, Convert(destination_type=I32)), [data]), 0)
        sums = Outlet(edited.add(_part(node, node.op), [numbers, *axis]), 0)
        flags = Outlet(edited.add(node._replace(op=Convert(destination_type=BOOLEAN)), [sums]), 0)
        for inlet in edited.consumers(Outlet(node.id, 0)):
            edited.connect(sums if isinstance(edited.node(inlet.node).op, Convert) else flags, inlet)
        edited.remove([node.id])
    return edited.freeze()


def _is_boolean(facts: Facts, node: Node) -> bool:
    (data, *_) = facts.inputs(node.id)
    return data is not None and data.type is BOOLEAN


def _part(node: Node, op: Op | None) -> Node:
    """Return a node that computes a part of another one."""
    return node._replace(op=op, names=((),), output_names=())
