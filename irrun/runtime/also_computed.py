"""Compute types that the page excludes as types of the page: inputs are converted, and results converted back.

Before: x boolean[5] → CumSum(boolean) → Convert(boolean → i64); CumSum → LogicalNot
After:  x boolean[5] → Convert(→ i32) → CumSum(i32) → Convert(i32 → i64); CumSum → Convert(→ boolean) → LogicalNot

A Convert of booleans that are numbers reads the numbers: how many were true. So passes and kernels meet types of the
page alone.

Source: the CPU plugin of OpenVINO, which holds booleans as bytes, and computes in these or in floats. Its counts wrap,
or stop, at 256.
"""

from __future__ import annotations

from irrun.editing import MutableGraph
from irrun.graph import Graph, Node, Outlet
from irrun.inference import Facts
from irrun.ops._declared.type.convert import Convert
from irrun.tensor import ElementType
from irrun.tensor.element_type import BOOLEAN


def compute_also(graph: Graph, facts: Facts) -> tuple[Graph, Facts]:
    """Return the graph and its facts with conversions around such layers. Bodies get plans of their own."""
    found = [(node, reads) for node in graph.ordered() if node.op is not None and (reads := _reads(facts, node))]
    if not found:
        return graph, facts
    edited = MutableGraph(graph, facts)
    for node, reads in found:
        _convert(edited, node, reads)
    return edited.freeze()


def _reads(facts: Facts, node: Node) -> dict[int, ElementType]:
    """Return the types to convert to, by the numbers of the inputs."""
    if node.op is None or not node.op.spec.also:
        return {}
    given = dict(enumerate(facts.inputs(node.id)))
    pairs = [(index, also, given.get(index)) for index, also in node.op.spec.also.items()]
    return {index: also[fact.type] for index, also, fact in pairs if fact is not None and fact.type in also}


def _convert(edited: MutableGraph, node: Node, reads: dict[int, ElementType]) -> None:
    sources = list(edited.sources(node.id))
    for index, type in reads.items():
        sources[index] = Outlet(edited.add(_conversion(node, type), [sources[index]]), 0)
    computed = edited.add(node, sources)
    for outlet in edited.outputs(node.id):
        written, numbers = edited.fact(outlet), Outlet(computed, outlet.port)
        made = edited.fact(numbers)
        if written is None or made is None or written.type is made.type:
            edited.replace(outlet, numbers)
            continue
        back = _conversion(node, written.type)._replace(names=node.names[outlet.port : outlet.port + 1])
        flags = Outlet(edited.add(back, [numbers]), 0)
        for inlet in edited.consumers(outlet):
            counts = written.type is BOOLEAN and isinstance(edited.node(inlet.node).op, Convert)
            edited.connect(numbers if counts else flags, inlet)
    edited.remove([node.id])


def _conversion(node: Node, to: ElementType) -> Node:
    """Return a part of a node that converts one tensor."""
    return node._replace(type="Convert", version="opset1", op=Convert(destination_type=to), names=((),), bodies={})
