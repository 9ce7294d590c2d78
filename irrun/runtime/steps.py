"""The steps of a plan: the calls of a graph's kernels, and the slots of its tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field

from irrun.diagnostics import IRError
from irrun.document.places import at_layer
from irrun.graph import Graph, Node, Outlet
from irrun.inference import Facts
from irrun.ops.blame import runner
from irrun.runtime.budget import Budget
from irrun.runtime.checked_values import checked
from irrun.runtime.constants import leaving
from irrun.runtime.faults import LayerThatCannotRun, MissingWeights
from irrun.runtime.plan import PlannedBody, Step
from irrun.runtime.state import fitting
from irrun.tensor import Array, Fact

Bodies = Callable[[Node], Mapping[str, PlannedBody]]
"""Plans the bodies of a node."""


def make_steps(
    graph: Graph, facts: Facts, declared: Facts, known: Mapping[Outlet, Array], bodies: Bodies, budget: Budget
) -> tuple[tuple[Step, ...], tuple[Array | None, ...], tuple[int, ...], tuple[int, ...]]:
    """Return the steps of a graph in order, its slots, and those of its Parameters and Results.

    Nodes whose outputs are all ``known`` are no steps: their values are in the slots where other nodes consume them.
    Kernels check values that only a run tells, before they compute. IRError for a layer without a value.
    """
    constant = _constant_nodes(graph, facts, known)
    needed = graph.dependencies(constant).difference(graph.results, graph.parameters)
    numbering = _Numbering(graph, facts, declared, bodies, budget)
    parameters = tuple([numbering.slot(Outlet(id, 0)) for id in graph.parameters])
    steps: list[Step] = []
    for node in graph.ordered():
        if node.id in needed and node.id in constant:
            for outlet in facts.outlets(node.id):
                if _leaves(graph, outlet, constant):
                    numbering.slot(outlet, known[outlet])
        elif node.id in needed:
            steps.append(numbering.step(node))
    ends = [graph.sources(id)[0] for id in graph.results]
    results = tuple([numbering.slot_of[source] for source in ends if source is not None])
    constants = [index for index, value in enumerate(numbering.slots) if value is not None]
    return _freeing(steps, {*results, *constants, 0}), tuple(numbering.slots), parameters, results


def _freeing(steps: Sequence[Step], kept: set[int]) -> tuple[Step, ...]:
    """Return the steps, each of which frees the slots that no later one reads, except those that are kept."""
    freed = []
    for step in reversed(steps):
        frees = tuple([index for index in dict.fromkeys((*step.inputs, *step.outputs)) if index not in kept])
        kept.update(frees)
        freed.append(step._replace(frees=frees))
    return tuple(reversed(freed))


def _constant_nodes(graph: Graph, facts: Facts, known: Mapping[Outlet, Array]) -> set[int]:
    """Return the nodes whose outputs are all known."""
    pairs = [(node.id, facts.outlets(node.id)) for node in graph.ordered()]
    return {id for id, outlets in pairs if outlets and known.keys() >= set(outlets)}.difference(graph.results)


def _leaves(graph: Graph, outlet: Outlet, constant: Container[int]) -> bool:
    """Return whether a Result or a layer that is not constant consumes the value."""
    return any(inlet.node not in constant for inlet in graph.consumers(outlet))


@dataclass(slots=True)
class _Numbering:
    """Numbers the tensors of a graph, from 1 on, and makes its steps."""

    graph: Graph
    facts: Facts
    declared: Facts
    bodies: Bodies
    budget: Budget
    slots: list[Array | None] = field(default_factory=lambda: [None])
    slot_of: dict[Outlet, int] = field(default_factory=dict)

    def slot(self, outlet: Outlet, value: Array | None = None) -> int:
        """Return the number of the next tensor, which holds a value if it is constant."""
        self.slot_of[outlet] = len(self.slots)
        self.slots.append(None if value is None else leaving(value, self.facts[outlet].type))
        return self.slot_of[outlet]

    def step(self, node: Node) -> Step:
        """Return the call of a node's kernel; IRError where its value or its operation is not known."""
        op, outlets = node.op, self.facts.outlets(node.id)
        if op is not None and not op.inputs:
            fault = MissingWeights(what="the value is not known: there is no weights file")
            raise IRError([at_layer(fault, node.layer)])
        if op is None or not outlets:
            raise IRError([at_layer(LayerThatCannotRun(what="the layer cannot be run"), node.layer)])
        sources = [0 if outlet is None else self.slot_of[outlet] for outlet in self.graph.sources(node.id)]
        inputs = (*sources, *[0] * (op.spec.fixed_inputs - len(sources)))
        known = tuple([self.facts[outlet] for outlet in outlets])
        types = tuple([fact.type for fact in known])
        run = runner(op, known)
        declared: tuple[Fact | None, ...] = ()
        if "facts" in op.spec.run_asks:
            declared = (self.declared if node.id in self.declared.graph else self.facts).inputs(node.id)
            run = functools.partial(run, facts=declared)
        asks = tuple([name for name in op.spec.run_asks if name != "facts"])
        if "state" in asks:
            run = fitting(run, known[0])
        run = checked(op, run, self.facts.inputs(node.id), known, self.budget)
        bodies = self.bodies(node) if "bodies" in asks else None
        outputs = tuple([self.slot(outlet) for outlet in outlets])
        return Step(node, run, inputs, outputs, known, types, (), asks, bodies, declared)
