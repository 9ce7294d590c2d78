"""(Graph, Facts) -> Plan, in stages: sound, convert, choose bodies, fold, widen, optimise, make steps, guard."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from irrun.graph import Graph, Node, Outlet
from irrun.inference import Facts
from irrun.optimize import Settings, optimize
from irrun.optimize.chosen_bodies import with_chosen_bodies
from irrun.optimize.half_precision import in_f32
from irrun.runtime.also_computed import compute_also
from irrun.runtime.budget import UNLIMITED, Budget
from irrun.runtime.constants import constants
from irrun.runtime.peak import check_memory
from irrun.runtime.plan import Plan, PlannedBody
from irrun.runtime.soundness import sound
from irrun.runtime.steps import make_steps
from irrun.tensor import Array

if TYPE_CHECKING:
    from irrun.optimize.packed import Packed

AS_WRITTEN: Final = Settings(enabled=False)


def plan(
    graph: Graph,
    facts: Facts,
    settings: Settings = AS_WRITTEN,
    shared: Mapping[Outlet, Array] | None = None,
    declared: Facts | None = None,
    budget: Budget = UNLIMITED,
    *,
    whole: bool = True,
) -> Plan:
    """Return the plan that computes every Result of a graph; IRError where a guard refuses it.

    ``shared`` are the constants of another plan of the same graph. ``declared`` is what the file itself tells where
    ``facts`` know more: kernels that ask what is known of their inputs are told no more than that. A plan that is not
    ``whole`` is that of a body, or one for known sizes of inputs: its memory is checked with that of the model.

    Constants that NumPy reads in each run are aligned, which those of a file need not be.

    The stages, in order; `sound` and `check_memory` are guards, and kernels check values (`checked`). A run is guarded
    further by what only its inputs tell (`irrun.model.specialize`), and by the limits of its budget (`Budget`).
    """
    declared = facts if declared is None else declared
    graph = given = sound(graph, facts, budget.memory)
    if settings.kernels:
        from irrun.optimize.added import with_kernels

        graph = with_kernels(graph, settings.kernels)
    graph, facts = compute_also(graph, facts)
    if settings.enabled:
        graph, facts, declared = with_chosen_bodies(graph, facts, declared)
    known, packed = fold(graph, facts, settings, shared)
    if not settings.compiled or budget.seconds is not None:
        known = {outlet: value if value.flags.aligned else value.copy() for outlet, value in known.items()}
    sides = {id(side) for each in packed.values() for side in (each.zero, each.scale)}
    kept = {outlet: value for outlet, value in known.items() if outlet.node in given and id(value) not in sides}
    result_types = tuple([fact.type for fact in facts.results()])
    if settings.enabled:
        graph, facts = in_f32(graph, facts)
    graph, facts, known = optimize(graph, facts, known, settings, packed)
    bodies = functools.partial(plan_bodies, facts=facts, declared=declared, settings=settings, budget=budget)
    inputs = tuple([facts[Outlet(id, 0)] for id in graph.parameters])
    made = Plan(*make_steps(graph, facts, declared, known, bodies, budget), inputs, result_types, kept, budget)
    if whole:
        check_memory(made)
    return made


def fold(
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
    if not settings.enabled:
        return False
    return bool([fact for fact in facts.of.values() if fact.type.bits <= most and fact.is_constant])


def plan_bodies(
    node: Node, *, facts: Facts, declared: Facts, settings: Settings, budget: Budget
) -> Mapping[str, PlannedBody]:
    """Return the plans of the bodies of a node."""
    found = {}
    for tag, body in node.bodies.items():
        inner, told = facts.bodies[node.id, tag], declared.bodies.get((node.id, tag))
        made = plan(body.graph, inner, settings, declared=told, budget=budget, whole=False)
        found[tag] = PlannedBody(body.ports, made, inner.results())
    return found
