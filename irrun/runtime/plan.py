"""(Graph, Facts) -> Plan: what the optimiser leaves, as steps over numbered slots, each freed after its last use."""

from __future__ import annotations

import functools
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from irrun.diagnostics import Anchor, Diagnostic, IRError
from irrun.document.places import layer_ref
from irrun.graph import Graph, Node, Outlet
from irrun.inference import Facts
from irrun.ops.context import BodyPorts
from irrun.optimize import Settings, optimize
from irrun.optimize.chosen_bodies import with_chosen_bodies
from irrun.optimize.half_precision import in_f32
from irrun.runtime.budget import UNLIMITED, Budget
from irrun.runtime.checked_values import checked
from irrun.runtime.constants import constants, leaving
from irrun.runtime.faults import LayerThatCannotRun, MissingWeights
from irrun.runtime.soundness import sound
from irrun.runtime.state import fitting
from irrun.tensor import Array, ElementType, Fact

if TYPE_CHECKING:
    from irrun.optimize.packed import Packed


class PlannedBody(NamedTuple):
    """The plan of a sub-graph, and the facts of its Results."""

    ports: BodyPorts
    plan: Plan
    results: tuple[Fact, ...]


class Step(NamedTuple):
    """A call of a kernel: input slots, output slots, and slots with no later reader.

    ``asks`` are what the kernel wants by keyword: ``state``, ``memory``, or ``bodies``. ``plain`` is the dtype of the
    output of a kernel that asks for nothing but memory and returns one array, whose elements need no rounding; else
    None. ``declared`` are the facts of the inputs in the file, for a kernel that asks for them.
    """

    node: Node
    run: Callable[..., Any]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    facts: tuple[Fact, ...]
    types: tuple[ElementType, ...]
    frees: tuple[int, ...]
    asks: tuple[str, ...]
    bodies: Mapping[str, PlannedBody] | None
    plain: np.dtype[Any] | None
    declared: tuple[Fact | None, ...]


@dataclass(frozen=True, eq=False)
class Plan:
    """The steps to run, in order. Slot 0 is always None and stands for an absent input.

    ``slots`` holds the constants in their places. ``parameters`` and ``results`` are slots, in the order of the
    Parameters and the Results of the graph; ``result_types`` the element types of the latter. ``constants`` are the
    values in the graph as it was before it was optimised.
    """

    steps: tuple[Step, ...]
    slots: tuple[Array | None, ...]
    parameters: tuple[int, ...]
    results: tuple[int, ...]
    parameter_facts: tuple[Fact, ...]
    result_types: tuple[ElementType, ...]
    constants: Mapping[Outlet, Array]
    budget: Budget = UNLIMITED

    @property
    def parameter_types(self) -> tuple[ElementType, ...]:
        """The element types of the Parameters."""
        return tuple(fact.type for fact in self.parameter_facts)


AS_WRITTEN: Final = Settings(enabled=False)


def plan(
    graph: Graph,
    facts: Facts,
    settings: Settings = AS_WRITTEN,
    shared: Mapping[Outlet, Array] | None = None,
    declared: Facts | None = None,
    budget: Budget = UNLIMITED,
) -> Plan:
    """The plan that computes every Result of a graph; IRError where a layer is not understood or not known.

    ``shared`` are the constants of another plan of the same graph. ``declared`` is what the file itself tells where
    ``facts`` know more: kernels that ask what is known of their inputs are told no more than that.
    """
    declared = declared if declared is not None else facts
    graph = sound(graph, facts, budget.memory)
    own = graph
    if settings.enabled:
        graph, facts, declared = with_chosen_bodies(graph, facts, declared)
    known, packed = _known_values(graph, facts, settings, shared)
    values = known if graph is own else {outlet: value for outlet, value in known.items() if outlet.node in own}
    result_types = tuple(fact.type for fact in facts.results())
    if settings.enabled:
        graph, facts = in_f32(graph, facts)
    graph, facts, known = optimize(graph, facts, known, settings, packed)
    constant = _constant_nodes(graph, facts, known)
    needed = graph.dependencies(constant).difference(graph.results, graph.parameters)
    planner = _Planner(graph, facts, declared, settings, budget)
    parameters = tuple(planner.slot(Outlet(id, 0)) for id in graph.parameters)
    steps: list[Step] = []
    for node in graph.ordered():
        if node.id in needed and node.id in constant:
            for outlet in facts.outlets(node.id):
                if _leaves(graph, outlet, constant):
                    planner.slot(outlet, known[outlet])
        elif node.id in needed:
            steps.append(planner.step(node))
    results = tuple(planner.slot_of[source] for id in graph.results if (source := graph.sources(id)[0]) is not None)
    return Plan(
        _with_frees(steps, results, planner.slots),
        tuple(planner.slots),
        parameters,
        results,
        tuple(facts[Outlet(id, 0)] for id in graph.parameters),
        result_types,
        values,
        budget,
    )


def _known_values(
    graph: Graph, facts: Facts, settings: Settings, shared: Mapping[Outlet, Array] | None
) -> tuple[Mapping[Outlet, Array], Mapping[Outlet, Packed]]:
    """Return the values that depend on no input, and those of them that stay in their stored form."""
    if not _has_few_bits(facts, settings):
        return constants(graph, facts, shared), {}
    from irrun.optimize.packed import chains, packed_values

    found = chains(graph, facts, settings, shared)
    known = constants(graph, facts, shared, {id for chain in found.values() for id in chain.nodes})
    return known, packed_values(found, facts, known)


def _has_few_bits(facts: Facts, settings: Settings) -> bool:
    """Return whether there are constants that might stay in their stored form."""
    most = 16 if settings.low_memory else 8
    return settings.enabled and any(fact.type.bits <= most and fact.is_constant for fact in facts.of.values())


def _constant_nodes(graph: Graph, facts: Facts, known: Mapping[Outlet, Array]) -> set[int]:
    """Return the nodes whose outputs are all known."""
    constant = set()
    for node in graph.ordered():
        outlets = facts.outlets(node.id)
        if outlets and all(outlet in known for outlet in outlets):
            constant.add(node.id)
    return constant.difference(graph.results)


def _leaves(graph: Graph, outlet: Outlet, constant: Container[int]) -> bool:
    """Return whether a Result or a layer that is not constant consumes the value."""
    return any(inlet.node not in constant for inlet in graph.consumers(outlet))


class _Planner:
    """Numbers the tensors of a graph, from 1 on, and makes its steps."""

    def __init__(self, graph: Graph, facts: Facts, declared: Facts, settings: Settings, budget: Budget) -> None:
        self.graph = graph
        self.facts = facts
        self.declared = declared
        self.settings = settings
        self.budget = budget
        self.slots: list[Array | None] = [None]
        self.slot_of: dict[Outlet, int] = {}

    def slot(self, outlet: Outlet, value: Array | None = None) -> int:
        """Return the number of the next tensor, which holds a value if it is constant."""
        self.slot_of[outlet] = len(self.slots)
        self.slots.append(None if value is None else leaving(value, self.facts[outlet].type))
        return self.slot_of[outlet]

    def step(self, node: Node) -> Step:
        op, outlets = node.op, self.facts.outlets(node.id)
        if op is None or not outlets or not op.inputs:
            raise IRError([_not_known(node)])
        sources = [0 if outlet is None else self.slot_of[outlet] for outlet in self.graph.sources(node.id)]
        absent = sum(not port.variadic for port in op.inputs) - len(sources)
        inputs = (*sources, *(0 for _ in range(max(absent, 0))))
        known = tuple(self.facts[outlet] for outlet in outlets)
        types = tuple(fact.type for fact in known)
        run = op.run
        declared: tuple[Fact | None, ...] = ()
        if "facts" in op.spec.run_asks:
            declared = self.declared.inputs(node.id)
            run = functools.partial(op.run, facts=declared)
        run = checked(op, run, self.facts.inputs(node.id), known, self.budget)
        asks = tuple(name for name in op.spec.run_asks if name != "facts")
        if "state" in asks:
            run = fitting(run, known[0])
        bodies = self._bodies(node) if "bodies" in asks else None
        simple = len(types) == 1 and asks in ((), ("memory",)) and types[0].is_known and not types[0].is_narrow
        plain = types[0].dtype if simple else None
        outputs = tuple(self.slot(outlet) for outlet in outlets)
        return Step(node, run, inputs, outputs, known, types, (), asks, bodies, plain, declared)

    def _bodies(self, node: Node) -> dict[str, PlannedBody]:
        found = {}
        for tag, body in node.bodies.items():
            inner, declared = self.facts.bodies[node.id, tag], self.declared.bodies.get((node.id, tag))
            planned = plan(body.graph, inner, self.settings, declared=declared, budget=self.budget)
            found[tag] = PlannedBody(body.ports, planned, inner.results())
        return found


def _not_known(node: Node) -> Diagnostic:
    layer = layer_ref(node.layer) if node.layer is not None else None
    anchor = Anchor(node.layer.element) if node.layer is not None else Anchor()
    missing = node.op is not None and not node.op.inputs
    what = "the value is not known: there is no weights file" if missing else "the layer cannot be run"
    fault = MissingWeights(what=what) if missing else LayerThatCannotRun(what=what)
    return fault.at(anchor, layer)


def _with_frees(steps: Sequence[Step], results: Sequence[int], slots: Sequence[Array | None]) -> tuple[Step, ...]:
    kept = {*results, *(index for index, value in enumerate(slots) if value is not None), 0}
    freed = []
    for step in reversed(steps):
        frees = tuple(index for index in dict.fromkeys((*step.inputs, *step.outputs)) if index not in kept)
        kept.update(frees)
        freed.append(step._replace(frees=frees))
    return tuple(reversed(freed))
