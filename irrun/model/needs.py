"""The first release of OpenVINO that reads a file, and what decides it."""

from __future__ import annotations

from collections.abc import Iterator

from irrun.graph import Graph, Node
from irrun.inference import Facts
from irrun.ops.releases import IR_11, Need, number, release
from irrun.ops.usages import need_of


def least(graph: Graph, facts: Facts, ir_version: str | None) -> tuple[Need | None, str]:
    """Return the first release that reads a file, and the name of the first layer that decides it, "" for the format.

    None where it is unknown. Operations of libraries do not count.
    """
    found = {Need(IR_11, "IR version 11"): ""} if ir_version == "11" else {}
    for node, inner in _with_facts(graph, facts):
        need = need_of_node(node, inner)
        if need is not None:
            found.setdefault(need, node.name)
        elif number(node.version) is not None:
            return None, ""
    return max(found.items(), key=lambda item: release(item[0].release), default=(None, ""))


def need_of_node(node: Node, facts: Facts | None) -> Need | None:
    """Return the first release that reads a layer, and what decides it; ``facts`` are those of its graph."""
    return need_of(node.type, node.version, node.op, lambda: () if facts is None else facts.inputs(node.id))


def _with_facts(graph: Graph, facts: Facts | None) -> Iterator[tuple[Node, Facts | None]]:
    """Yield the nodes of a graph and of its bodies, each with the facts of its graph."""
    for node in graph.ordered():
        yield node, facts
        for tag, body in node.bodies.items():
            yield from _with_facts(body.graph, None if facts is None else facts.bodies.get((node.id, tag)))
