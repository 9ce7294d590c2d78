"""The optimised graph, as data and as text: a line for each node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from irrun.ops._declared.fused.base import Fused
from irrun.reporting.plans.attributes import attributes_of, braces
from irrun.reporting.plans.lines import WIDTH, Named, constant_text, counted, fact_text, layers_of, line
from irrun.runtime.plan import Plan


class NodeListing(NamedTuple):
    """A node: its outlets, attributes, inputs (outlets or constants), and the facts of its outputs.

    ``replaces`` are the names of the layers that it computes, if the optimiser made it, or its own. ``bodies`` are its
    sub-graphs.
    """

    id: int
    type: str
    attributes: Mapping[str, str]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    replaces: tuple[str, ...]
    is_fused: bool
    bodies: Mapping[str, GraphListing]


class GraphListing(NamedTuple):
    """A graph: its inputs and results with their names, and the nodes in the order in which they run."""

    inputs: tuple[Named, ...]
    nodes: tuple[NodeListing, ...]
    results: tuple[Named, ...]

    def text(self, width: int = WIDTH) -> str:
        fused = sum(node.is_fused for node in self.nodes)
        lines = [f"{counted(len(self.nodes), 'node')}, {fused:,} made by the optimiser", ""]
        return "\n".join([*lines, *_lines(self, width, 0)])


def graph_of(plan: Plan, inputs: Sequence[str], results: Sequence[str]) -> GraphListing:
    """Describe the graph from which a plan was made. ``inputs`` and ``results`` are names."""
    outlets = {0: "absent"}
    outlets.update(zip(plan.parameters, inputs, strict=True))
    for slot, array in enumerate(plan.slots):
        if array is not None:
            outlets[slot] = constant_text(array)
    for step in plan.steps:
        for port, slot in enumerate(step.outputs):
            outlets[slot] = f"%{step.node.id}" + (f":{port}" if len(step.outputs) > 1 else "")
    nodes = []
    for step in plan.steps:
        node = step.node
        used = [outlets[slot] for slot in step.inputs]
        while used and used[-1] == "absent":
            used.pop()
        bodies = {
            tag: graph_of(
                body.plan,
                [f"{tag}.input{number}" for number in range(len(body.plan.parameters))],
                [f"{tag}.output{number}" for number in range(len(body.plan.results))],
            )
            for tag, body in (step.bodies or {}).items()
        }
        nodes.append(
            NodeListing(
                node.id,
                node.type,
                attributes_of(node.op),
                tuple(used),
                tuple(map(fact_text, step.facts)),
                tuple(layers_of(step)),
                isinstance(node.op, Fused),
                bodies,
            )
        )
    return GraphListing(
        tuple(Named(name, fact_text(fact)) for name, fact in zip(inputs, plan.parameter_facts, strict=True)),
        tuple(nodes),
        tuple(Named(name, outlets[slot]) for name, slot in zip(results, plan.results, strict=True)),
    )


def _lines(graph: GraphListing, width: int, indent: int) -> list[str]:
    lines = [each for name, fact in graph.inputs for each in line(f"{name}: {fact}", width, indent)]
    for node in graph.nodes:
        attributes = braces(node.attributes)
        call = f"{node.type}({', '.join(node.inputs)}){f' {attributes}' if attributes else ''}"
        lines += line(f"%{node.id} {', '.join(node.outputs)} = {call}  # {', '.join(node.replaces)}", width, indent)
        for tag, body in node.bodies.items():
            lines += [f"{' ' * (indent + 4)}{tag}:", *_lines(body, width, indent + 6)]
    return [*lines, *(each for name, at in graph.results for each in line(f"{name} = {at}", width, indent))]
