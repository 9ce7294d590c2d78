"""The plan as NumPy runs it, as data and as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from irrun.reporting.plans.lines import (
    WIDTH,
    Named,
    bytes_text,
    constant_text,
    counted,
    fact_text,
    layers_of,
    line,
    table,
)
from irrun.runtime.plan import Plan


class SlotListing(NamedTuple):
    """A step: the slots that it reads and writes, and those that are freed after it.

    ``reason`` tells why no kernel computes it, where it was tried to lower the plan.
    """

    number: int
    type: str
    layers: tuple[str, ...]
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    frees: tuple[str, ...]
    reason: str
    bodies: Mapping[str, PlanListing]


class PlanListing(NamedTuple):
    """A plan: why it runs on NumPy, its inputs and results with their names, its constants, and its steps."""

    why: str
    inputs: tuple[Named, ...]
    constants: tuple[Named, ...]
    steps: tuple[SlotListing, ...]
    results: tuple[Named, ...]
    slots: int
    constant_bytes: int

    def text(self, width: int = WIDTH) -> str:
        lines = [f"NumPy; {self.why}" if self.why else "NumPy", "", *_lines(self, width, 0), "", "summary"]
        constants = f"{counted(len(self.constants), 'constant')}, {bytes_text(self.constant_bytes)}"
        return "\n".join([*lines, f"  {counted(len(self.steps), 'step')}, {counted(self.slots, 'slot')}, {constants}"])


def plan_of(
    plan: Plan, inputs: Sequence[str], results: Sequence[str], why: str = "", reasons: Mapping[int, str] | None = None
) -> PlanListing:
    """Describe a plan. ``inputs`` and ``results`` are names, ``reasons`` those of steps, by their number."""
    names = {slot: ("absent" if slot == 0 else f"%{slot}") for slot in range(len(plan.slots))}
    constants = {f"%{slot}": array for slot, array in enumerate(plan.slots) if array is not None}
    steps = []
    for number, step in enumerate(plan.steps):
        used = [names[slot] for slot in step.inputs]
        while used and used[-1] == "absent":
            used.pop()
        bodies = {
            tag: plan_of(
                body.plan,
                [f"input{n}" for n in range(len(body.plan.parameters))],
                [f"output{n}" for n in range(len(body.plan.results))],
            )
            for tag, body in (step.bodies or {}).items()
        }
        writes = tuple(f"{names[slot]} {fact_text(fact)}" for slot, fact in zip(step.outputs, step.facts, strict=True))
        frees = tuple(names[slot] for slot in step.frees)
        reason = (reasons or {}).get(number, "")
        steps.append(
            SlotListing(number, step.node.type, tuple(layers_of(step)), tuple(used), writes, frees, reason, bodies)
        )
    given = zip(inputs, plan.parameters, plan.parameter_facts, strict=True)
    return PlanListing(
        why,
        tuple(Named(name, f"{names[slot]} {fact_text(fact)}") for name, slot, fact in given),
        tuple(Named(name, constant_text(array)) for name, array in constants.items()),
        tuple(steps),
        tuple(Named(name, names[slot]) for name, slot in zip(results, plan.results, strict=True)),
        len(plan.slots) - 1,
        sum(array.nbytes for array in constants.values()),
    )


def _lines(plan: PlanListing, width: int, indent: int) -> list[str]:
    lines = table("inputs", (f"{name} = {text}" for name, text in plan.inputs), width)
    lines += table("constants", (f"{name} {text}" for name, text in plan.constants), width)
    lines.append("steps")
    for step in plan.steps:
        facts = "; ".join(filter(None, [f"frees {', '.join(step.frees)}" if step.frees else "", step.reason]))
        call = f"{', '.join(step.writes)} = {step.type}({', '.join(step.reads)})"
        lines += line(
            f"{step.number:>4}  {call}{f'; {facts}' if facts else ''}  # {', '.join(step.layers)}", width, 0, 10
        )
        for tag, body in step.bodies.items():
            lines += [f"          {tag}:", *_lines(body, width - 12, 12)]
    lines += ["", *table("results", (f"{name} = {text}" for name, text in plan.results), width)]
    while lines and not lines[-1]:
        lines.pop()
    return [" " * indent + each if each else "" for each in lines]
