"""The memory that a plan takes, summed before it runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final

from irrun.diagnostics import IRError
from irrun.runtime.budget import OverBudget, held_bytes, least_elements, named_sizes
from irrun.runtime.execute import step_error
from irrun.runtime.plan import Plan, Step
from irrun.tensor import Fact

_WIDER: Final = (16, 2)
"""The factors by which shapes are enlarged for a look ahead: the first one for which there is memory."""

_HELD: Final = "its workspace and the tensors held while it runs"

_NO_SIZES: Final[Mapping[str, int]] = {}


def check_memory(plan: Plan, shapes: Sequence[Sequence[int]] | None = None) -> None:
    """Raise IRError, located at the first step that exceeds the budget of the plan.

    ``shapes`` are those of the inputs, where they are known. Unknown sizes count as small as they can be.
    """
    if plan.budget.memory is None:
        return
    sizes = _NO_SIZES if shapes is None else named_sizes(plan.parameter_facts, shapes)
    total = held_bytes(plan.slots)
    last: Step | None = None
    try:
        for last, size, workspace in _sizes(plan, sizes):
            held = "the inputs and constants of the model" if last is None else _HELD
            plan.budget.check_memory(total + size + workspace, f"{held} take")
        last = None
        copied = [slot for slot in plan.results if plan.slots[slot] is not None]
        given = sum(array.nbytes for slot in copied if (array := plan.slots[slot]) is not None)
        plan.budget.check_memory(given, "the outputs of the model, which are constant, take")
    except OverBudget as error:
        raise step_error(last, (), error) from None


class MemoryCheck:
    """Checks the memory of a plan for the shapes of its inputs, as `check_memory` does.

    If the memory grows with every size, shapes pass without another look where larger ones have passed.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._grows = all(_grows(fact) for step in plan.steps for fact in step.facts)
        self._passed: Mapping[str, int] = {}

    def check(self, shapes: Sequence[Sequence[int]]) -> None:
        """Raise IRError, located at the first step that exceeds the budget of the plan."""
        plan = self._plan
        sizes = named_sizes(plan.parameter_facts, shapes)
        passed = self._passed
        if self._grows and all(size <= passed.get(name, -1) for name, size in sizes.items()):
            return
        for factor in _WIDER if self._grows else ():
            larger = [[factor * size for size in shape] for shape in shapes]
            with suppress(IRError):
                check_memory(plan, larger)
                self._passed = named_sizes(plan.parameter_facts, larger)
                return
        check_memory(plan, shapes)


def _grows(fact: Fact) -> bool:
    """Return whether the least size of a tensor never shrinks when a named size grows."""
    return all(factor > 0 or not names for dim in fact.shape.dims or () for names, factor in dim.expr or ())


def computed_bytes(plan: Plan, shapes: Sequence[Sequence[int]]) -> int:
    """Return the bytes of the tensors that one run holds at the same time, without constants, at the least."""
    return max(size for _, size, _ in _sizes(plan, named_sizes(plan.parameter_facts, shapes)))


def _sizes(plan: Plan, sizes: Mapping[str, int]) -> list[tuple[Step | None, int, int]]:
    """Return each step, the bytes of the computed tensors that exist while it runs, and those of its workspace.

    Both are as small as unknown sizes allow. Constants count for neither: the file bounds them.
    """
    held: dict[int, int] = {}
    given = [least_elements(fact, sizes) for fact in plan.parameter_facts]
    elements = dict(zip(plan.parameters, given, strict=True))
    total = sum([count * width for count, width in zip(given, _widths(plan.parameter_facts), strict=True)])
    found: list[tuple[Step | None, int, int]] = [(None, total, 0)]
    for step in plan.steps:
        counts = [least_elements(fact, sizes) for fact in step.facts]
        elements.update(zip(step.outputs, counts, strict=True))
        made = [count * width for count, width in zip(counts, _widths(step.facts), strict=True)]
        ending = sum([held.get(slot, 0) for slot in step.frees])
        inner = max([_peak(body.plan) for body in (step.bodies or {}).values()], default=0)
        op = step.node.op
        workspace = 0 if op is None or op.view else op.workspace
        used = sum([elements.get(slot, 0) for slot in (*step.inputs, *step.outputs)])
        found.append((step, total + max(sum(made) - ending, 0) + inner, workspace * used))
        held.update(zip(step.outputs, made, strict=True))
        total += sum(made)
        for slot in step.frees:
            total -= held.pop(slot, 0)
    return found


def _widths(facts: Sequence[Fact]) -> list[int]:
    """Return the bytes of an element of each tensor in its carrier."""
    return [fact.type.dtype.itemsize if fact.type.is_known else 1 for fact in facts]


def _peak(plan: Plan) -> int:
    return max(size + workspace for _, size, workspace in _sizes(plan, _NO_SIZES))
