"""Plans: steps over numbered slots, each of which is freed after its last use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from irrun.graph import Node, Outlet
from irrun.ops._declared.fused.base import Fused
from irrun.ops.context import BodyPorts
from irrun.runtime.budget import UNLIMITED, Budget
from irrun.tensor import Array, ElementType, Fact


class PlannedBody(NamedTuple):
    """The plan of a sub-graph, and the facts of its Results."""

    ports: BodyPorts
    plan: Plan
    results: tuple[Fact, ...]


class Step(NamedTuple):
    """A call of a kernel: input slots, output slots, and slots with no later reader.

    ``asks`` are what the kernel wants by keyword: ``state`` or ``bodies``. ``declared`` are the facts of the inputs in
    the file, for a kernel that asks for them.
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
    declared: tuple[Fact | None, ...]

    @property
    def layers(self) -> tuple[str, ...]:
        """The names of the layers that the step computes: several where the optimiser has fused them."""
        op = self.node.op
        return op.parts if isinstance(op, Fused) and op.parts else (self.node.name,)

    @property
    def name(self) -> str:
        """The name of the layer whose outputs the step computes, the last one of a fused step."""
        return self.layers[-1]


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
        return tuple([fact.type for fact in self.parameter_facts])
