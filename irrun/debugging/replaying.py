"""The layers of a model, each to be computed by itself with any inputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from irrun.debugging.places import Watcher
from irrun.debugging.stopping import AS_WRITTEN
from irrun.graph import Graph, Node, Outlet
from irrun.model import Loaded, build
from irrun.runtime import Request, Step
from irrun.runtime.budget import UNLIMITED
from irrun.runtime.execute import FAILURES, Numerics, asked, conformed
from irrun.tensor import Array

COMMUTATIVE: Final = frozenset(
    {"Add", "Multiply", "Maximum", "Minimum", "Equal", "NotEqual", "LogicalAnd", "LogicalOr"}
)
"""Layers whose two operands may be exchanged."""


_PRODUCTS: Final = frozenset({"MatMul", "Convolution", "GroupConvolution"})
"""Layers whose weights may have a factor that a layer behind takes back."""


class Layers:
    """The steps of a model as written, by layer, with the constants that they read.

    A layer that depends on constants only is no step: its value is a constant of those that read it. Of two operands
    that may be exchanged, a constant is the second one here, as exporters differ in that. ``parts`` are the layers
    and constants that the ``whole`` graph does not have, each with the type of the layer that it is a part of.
    """

    def __init__(self, model: Loaded, config: Mapping[str, Any] | None = None, whole: Graph | None = None) -> None:
        self.model: Loaded = model
        self.graph: Graph = model.graph
        self._compiled = build(model, {**(config or {}), **AS_WRITTEN})
        plan = self._compiled.plan
        self._constants = plan.slots
        self.steps: dict[int, Step] = {step.node.id: step for step in plan.steps}
        kept = self.graph if whole is None else whole
        names = {kept.node(id).name: id for id in kept if id not in self.graph}
        self.parts: dict[int, str] = {
            id: kept.node(names[self.node(id).name]).type for id in self.graph if id not in kept
        }
        self._numbers: dict[str, set[float]] = {
            name: {float(np.float32(value)) for value in vars(kept.node(at).op).values() if isinstance(value, float)}
            for name, at in names.items()
        }
        last = {self.node(id).name: id for id in self.steps if id in self.parts}
        self._wholes: dict[int, int] = {id: names[name] for name, id in last.items()}
        self.parameters: list[int] = list(self.graph.parameters)

    def node(self, id: int) -> Node:
        return self.graph.node(id)

    def origin(self, outlet: Outlet) -> Outlet | None:
        """Return an outlet as the whole graph has it; None for a part of a layer other than its last one."""
        if outlet.node not in self.parts:
            return outlet
        whole = self._wholes.get(outlet.node)
        return None if whole is None else Outlet(whole, 0)

    def whole_of(self, id: int) -> tuple[Outlet, Outlet, set[Outlet]] | None:
        """Return the output of the layer that a layer is a part of, that of its last part, and the tensors it reads."""
        name = self.node(id).name
        at = next((last for last in self._wholes if id in self.parts and self.node(last).name == name), None)
        if at is None:
            return None
        parts = [part for part in self.steps if part in self.parts and self.node(part).name == name]
        read = {source for part in parts for source in self.sources(part) if source is not None}
        return Outlet(self._wholes[at], 0), Outlet(at, 0), {source for source in read if source.node not in parts}

    def reads_attribute(self, id: int) -> bool:
        """Return whether a layer is a part of another one, and reads a number that is an attribute of that."""
        numbers = {float(array.reshape(-1)[0]) for array in self.constants(id).values() if array.size == 1}
        return id in self.parts and bool(numbers & self._numbers.get(self.node(id).name, set()))

    def operands(self, id: int) -> list[Outlet | None]:
        """Return what a layer reads, by input; None for an absent input."""
        found = list(self.graph.sources(id))
        return found[::-1] if self._is_turned(id) else found

    def _is_turned(self, id: int) -> bool:
        found = self.graph.sources(id)
        if self.graph.node(id).type not in COMMUTATIVE or len(found) != 2:
            return False
        return [outlet is not None and self.is_computed(outlet.node) for outlet in found] == [False, True]

    def sources(self, id: int) -> list[Outlet | None]:
        """Return what a layer reads of other layers, by input; None for a constant and for an absent input."""
        found = self.operands(id)
        absent = (None,) * (len(self.steps[id].inputs) - len(found) if id in self.steps else 0)
        return [
            outlet if outlet is not None and self.is_computed(outlet.node) else None for outlet in (*found, *absent)
        ]

    def is_computed(self, id: int) -> bool:
        """Return whether a layer is a step, or an input of the model."""
        return id in self.steps or self.graph.node(id).type == "Parameter"

    def before(self, id: int) -> set[int]:
        """Return the layers that a layer reads, without constants."""
        return {outlet.node for outlet in self.sources(id) if outlet is not None}

    def after(self, id: int) -> set[int]:
        """Return the layers that read a layer, without Results."""
        return {other for other in self.graph.successors(id) if other in self.steps}

    def types_after(self, outlet: Outlet) -> list[str]:
        """Return the types of the layers that read a tensor, in alphabetical order."""
        return sorted(self.node(inlet.node).type for inlet in self.graph.consumers(outlet))

    def constants(self, id: int) -> dict[int, Array]:
        """Return the constants that a layer reads, by input."""
        slots = self.steps[id].inputs
        values = {
            port: self._constants[slot] for port, slot in enumerate(slots[::-1] if self._is_turned(id) else slots)
        }
        return {port: value for port, value in values.items() if value is not None}

    def factor(self, id: int) -> float | None:
        """Return the number by which a layer multiplies, or divides by its inverse; None for another layer."""
        node, constants = self.node(id), list(self.constants(id).values())
        if node.type not in ("Multiply", "Divide") or [array.size for array in constants] != [1]:
            return None
        value = float(constants[0].reshape(-1)[0])
        return value if node.type == "Multiply" else 1 / value if value else None

    def product_of(self, id: int) -> tuple[int, float]:
        """Return the product of a factor, and this; for another layer itself and one."""
        factor, before = self.factor(id), self.sources(id)[0]
        if (
            not factor
            or before is None
            or before.node not in self.steps
            or self.node(before.node).type not in _PRODUCTS
        ):
            return id, 1.0
        return before.node, factor

    def held(self, most: int) -> Iterator[tuple[Outlet, Array]]:
        """Yield the constants that layers read, up to a number of elements."""
        for id in self.steps:
            operands = self.operands(id)
            for port, array in self.constants(id).items():
                outlet = operands[port] if port < len(operands) else None
                if outlet is not None and array.size <= most:
                    yield outlet, array

    def constant_result(self, place: int) -> Array | None:
        """Return the value of an output of the model that depends on constants only; None for another one."""
        return self._constants[self._compiled.plan.results[place]]

    def outlets(self, id: int) -> list[Outlet]:
        """Return the outputs of a layer."""
        return [Outlet(id, port) for port in range(len(self.steps[id].types))]

    def compute(self, id: int, inputs: Sequence[Array | None]) -> list[Array] | None:
        """Return the outputs of a layer for some inputs; None where these do not fit it.

        An input that is None is the constant of the layer. A variable has its initial value.
        """
        constants = self.constants(id)
        given = [constants.get(port) if array is None else array for port, array in enumerate(inputs)]
        return computed(self.steps[id], given[::-1] if self._is_turned(id) else given)

    def run(self, inputs: Any, watcher: Watcher) -> tuple[Array, ...]:
        """Run all layers with an observer, and return the outputs."""
        session = self._compiled.session()
        session.observers.append(watcher)
        return session.run(inputs).to_tuple()


def computed(step: Step, inputs: Sequence[Array | None]) -> list[Array] | None:
    """Compute a step by itself; None where the inputs do not fit it. A variable has its initial value."""
    plans = [body.plan for body in (step.bodies or {}).values()]
    request = Request(budget=plans[0].budget if plans else UNLIMITED)
    try:
        with Numerics():
            return [array.copy() for array in conformed(step, step.run(*inputs, **asked(step, request)))]
    except FAILURES:
        return None
