"""Cases that a fault shows in: models with inputs, made smaller while the fault stays."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from irrun.debugging.cutting import constant_nodes, model_of
from irrun.debugging.places import StepPlace, Watcher
from irrun.debugging.sides import run_as_written
from irrun.debugging.spool import Spool
from irrun.diagnostics import IRError, OpError
from irrun.editing import EditError, piece
from irrun.graph import Outlet
from irrun.model import InputError, Loaded
from irrun.tensor import Array

Item = TypeVar("Item", bound=Hashable)


class Case(NamedTuple):
    """Models of the same inputs in which a fault shows: one, or the two that differ.

    ``inputs`` are the values of the Parameters, by place; None where they do not matter.
    """

    models: tuple[Loaded, ...]
    inputs: tuple[Array, ...] | None = None

    @property
    def model(self) -> Loaded:
        """The first model."""
        return self.models[0]

    @property
    def by_index(self) -> dict[int, Array]:
        """The inputs by place."""
        return dict(enumerate(self.inputs or ()))


Shows = Callable[[Case], bool]
"""Returns whether the fault shows in a case. A case that cannot be judged does not show it."""

REFUSALS = (EditError, IRError, OpError, InputError, RuntimeError, ValueError, LookupError)
"""The exceptions of edits and of inference that do not fit."""


def layers_of(model: Loaded) -> list[int]:
    """Return the layers that compute something: all but Parameters, Results, and what depends on constants only."""
    constant = constant_nodes(model.graph)
    return [n.id for n in model.graph.ordered() if n.id not in constant and n.type not in ("Parameter", "Result")]


def of_sizes(model: Loaded, inputs: Mapping[int, Array]) -> Loaded:
    """Return a model whose inputs have the shapes of some arrays, so that as many shapes as possible are known."""
    shapes = {port.any_name: inputs[port.index].shape for port in model.inputs if not port.partial_shape.is_static}
    return model.reshaped(shapes) if shapes else model


class TensorFiles(Watcher):
    """The values of all tensors of a model, on the disk."""

    def __init__(self, model: Loaded, inputs: dict[int, Array], spool: Spool, config: dict[str, Any]) -> None:
        super().__init__()
        self._spool = spool
        for place, id in enumerate(model.graph.parameters):
            spool.put(Outlet(id, 0), inputs[place])
        run_as_written(model, inputs, config, self)

    def ended(self, place: StepPlace, inputs: Sequence[Array | None], outputs: Sequence[Array]) -> None:
        del inputs
        if not place.around:
            for port, (array, type) in enumerate(zip(outputs, place.step.types, strict=True)):
                external = type.external if type.is_known and type.kind != "string" else array.dtype
                self._spool.put(Outlet(place.step.node.id, port), array.astype(external))

    def of(self, outlets: Iterable[Outlet]) -> tuple[Array, ...]:
        """Return the values of some outlets."""
        return tuple(self._spool.get(outlet) for outlet in outlets)


def kept(model: Loaded, layers: Iterable[int], tensors: TensorFiles | None = None, ends: Sequence[Outlet] = ()) -> Case:
    """Return some layers of a model as a case: what they consume of others becomes inputs.

    The outputs are ``ends``, or all that other layers consume of them. EditError and others where that is not a model.
    """
    graph, chosen = model.graph, set(layers)
    constant = constant_nodes(graph)
    start = dict.fromkeys(
        outlet
        for id in chosen
        for outlet in graph.sources(id)
        if outlet is not None and outlet.node not in chosen and outlet.node not in constant
    )
    found = piece(graph, model.facts, model.weights, list(start), ends or ends_of(model, chosen))
    inputs = None if tensors is None else tensors.of(found.inputs)
    return Case((model_of(model, found.graph, found.facts),), inputs)


def ends_of(model: Loaded, chosen: set[int]) -> list[Outlet]:
    """Return the outputs of some layers that others consume, or none."""
    found: list[Outlet] = []
    for id in chosen:
        for outlet in model.facts.outlets(id):
            consumers = model.graph.consumers(outlet)
            if not consumers or any(inlet.node not in chosen for inlet in consumers):
                found.append(outlet)
    return sorted(found)


def smallest(items: Sequence[Item], shows: Callable[[Sequence[Item]], bool]) -> list[Item]:
    """Return a subset that still shows a fault, none of whose elements can be left out alone.

    Delta debugging (Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input", 2002).
    """
    left, parts = list(items), 2
    while len(left) > 1:
        size = -(-len(left) // parts)
        pieces = [left[at : at + size] for at in range(0, len(left), size)]
        rests = [[item for item in left if item not in set(part)] for part in pieces] if len(pieces) > 2 else []
        found = next((some for some in (*pieces, *rests) if some and shows(some)), None)
        if found is not None:
            parts = 2 if len(found) <= size else max(parts - 1, 2)
            left = found
        elif parts >= len(left):
            break
        else:
            parts = min(2 * parts, len(left))
    return left
