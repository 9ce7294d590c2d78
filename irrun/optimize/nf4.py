"""Weights of nf4, the only type of few bits with numbers that f16 does not hold."""

from __future__ import annotations

from irrun.graph import Graph, Node, Outlet
from irrun.inference import Facts
from irrun.tensor.element_type import F16, NF4


def is_exact(graph: Graph, facts: Facts, node: Node) -> bool:
    """Return whether a layer converts to f16 nf4 weights that only products consume: OpenVINO uses its f32 table there.

    Between both there may be a Subtract, there is one Multiply, and there may be Reshape, Convert and Transpose.
    """
    at = Outlet(node.id, 0)
    source = graph.sources(node.id)[0]
    if node.type != "Convert" or source is None or facts[source].type is not NF4 or facts[at].type is not F16:
        return False
    for type in ("Subtract", "Multiply", "Reshape", "Convert", "Transpose"):
        consumers = graph.consumers(at)
        if len(consumers) == 1 and graph.node(consumers[0].node).type == type:
            at = Outlet(consumers[0].node, 0)
        elif type == "Multiply":
            return False
    consumers = graph.consumers(at)
    return len(consumers) > 0 and all(graph.node(inlet.node).type == "MatMul" for inlet in consumers)
