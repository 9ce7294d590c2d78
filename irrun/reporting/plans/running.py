"""Describe what runs of a compiled model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from irrun.model import Compiled
from irrun.model.arguments import accept
from irrun.model.random_inputs import random_input
from irrun.reporting.plans.lines import printable
from irrun.reporting.plans.nodes import GraphListing, graph_of
from irrun.reporting.plans.steps import PlanListing, plan_of
from irrun.runtime import Plan, Request
from irrun.runtime.tiers import why_not
from irrun.tensor import Array

if TYPE_CHECKING:
    from irrun.reporting.plans.listing import ProgramListing

_USUAL: Final = 7
"""The usual value of an open size in the run for which a plan is lowered."""


def optimized(compiled: Compiled) -> GraphListing:
    """Describe the optimised graph."""
    return graph_of(compiled.plan, *names(compiled))


def running(compiled: Compiled, why: str = "") -> PlanListing | ProgramListing:
    """Describe the program of compiled kernels, or the plan if NumPy runs it for a reason ``why``.

    A plan of open sizes is lowered for a run with random inputs; sizes that depend on values are those of that run. If
    no sizes are found that fit together, the plan with open sizes is described, and the inputs to give are named.
    """
    why = why or why_not() or ""
    if why:
        return plan_of(compiled.plan, *names(compiled), why)
    from irrun.reporting.plans.program import program_of, reasons_of
    from irrun.runtime.lower import lower
    from irrun.runtime.packs import Packs
    from irrun.runtime.plan_builder import Unknown
    from irrun.runtime.programs import TOO_FEW, recorded
    from irrun_kernels.host import LEVEL

    ran = a_run(compiled)
    if ran is None:
        return plan_of(compiled.plan, *names(compiled), _no_sizes(compiled))
    plan, arrays = ran
    packs = Packs()
    try:
        program = lower(plan, packs, Request(arrays))
    except Unknown:
        _, seen = recorded(plan, Request(arrays))
        program = lower(plan, packs, Request(arrays), seen)
    if not program.is_worthwhile:
        return plan_of(plan, *names(compiled), TOO_FEW, reasons_of(program, plan))
    return program_of(program, *names(compiled), {id(array) for array in packs.values()}, LEVEL.name)


def names(compiled: Compiled) -> tuple[list[str], list[str]]:
    """Return the names of the inputs and of the outputs."""
    inputs, outputs = ([printable(port.any_name) for port in ports] for ports in (compiled.inputs, compiled.outputs))
    return inputs, outputs


def a_run(compiled: Compiled) -> tuple[Plan, list[Array]] | None:
    """Return the plan of a run with random inputs, and the inputs as it takes them; None without fitting sizes."""
    sizes = compiled.plans.fitting(_USUAL)
    if sizes is None:
        return None
    ports = compiled.inputs
    given = {port.index: random_input(port, 0, sizes[port.index]) for port in ports}
    arrays = accept(ports, given, compiled.plan.parameter_types, compiled.means)
    plan, check = compiled.plans.of(arrays)
    check()
    return plan, list(arrays)


def _no_sizes(compiled: Compiled) -> str:
    given = " ".join(
        f"--shape '{printable(port.any_name)}[...]'" for port in compiled.inputs if not port.partial_shape.is_static
    )
    return f"no sizes of the dynamic inputs were found that fit together; give them: {given}"
