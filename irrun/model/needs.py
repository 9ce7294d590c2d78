"""The first release of OpenVINO that reads a file, and what decides it."""

from __future__ import annotations

from collections.abc import Iterator

from irrun.graph import Graph, Node
from irrun.inference import Facts
from irrun.ops.releases import IR_11, Need, number, release
from irrun.ops.usages import Inputs, need_of


def least(graph: Graph, facts: Facts, ir_version: str | None) -> tuple[Need | None, str]:
    """Return the first release that reads a file, and the name of the first layer that decides it, "" for the format.

    None where it is unknown. Operations of libraries do not count.
    """
    found = [(Need(IR_11, "IR version 11"), "")] if ir_version == "11" else []
    for node, inputs in _with_inputs(graph, facts):
        need = need_of(node.type, node.version, node.op, inputs)
        if need is not None:
            found.append((need, node.name))
        elif number(node.version) is not None:
            return None, ""
    return max(found, key=lambda item: release(item[0].release), default=(None, ""))


def _with_inputs(graph: Graph, facts: Facts | None) -> Iterator[tuple[Node, Inputs]]:
    """Yield the nodes of a graph and of its bodies, each with the facts of its inputs."""
    for node in graph.ordered():
        yield node, () if facts is None else facts.inputs(node.id)
        for tag, body in node.bodies.items():
            yield from _with_inputs(body.graph, None if facts is None else facts.bodies.get((node.id, tag)))
