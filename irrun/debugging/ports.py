"""Inputs and outputs of two models that belong together: of the same name, otherwise of the same place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from irrun.debugging.faults import DebugError
from irrun.model import Loaded, Port
from irrun.tensor import Array, Shape


def are_alike(port: Port, other: Port) -> bool:
    """Return whether two ports have a tensor name in common; the name of the layer counts where one has no other."""
    if port.names and other.names:
        return not port.names.isdisjoint(other.names)
    return port.node_name == other.node_name


def paired(ports: Sequence[Port], others: Sequence[Port]) -> list[int | None]:
    """Return the place of the counterpart of each port: of the same name, at the same place where several have it.

    Where no name is the same, and there are as many, ports of the same place are counterparts.
    """
    found: list[int | None] = []
    for port in ports:
        alike = [other.index for other in others if are_alike(port, other) and other.index not in found]
        found.append(port.index if port.index in alike else next(iter(alike), None))
    if all(place is None for place in found) and len(ports) == len(others):
        return [other.index for other in others]
    return found


def completed(places: Sequence[int | None], count: int) -> list[int | None]:
    """Return places of counterparts, those that are missing filled in order with the rest of ``count``, if as many."""
    left = [place for place in range(count) if place not in places]
    if list(places).count(None) != len(left):
        return list(places)
    return [left.pop(0) if place is None else place for place in places]


def inputs_for(
    others: Sequence[Port], ports: Sequence[Port], inputs: Mapping[int, Array], name: str
) -> dict[int, Array]:
    """Return the inputs of another model, by place: those of ``ports``, in its own element types.

    DebugError where one has no counterpart; ``name`` is that of the other model.
    """
    found: dict[int, Array] = {}
    for other in others:
        place = _fed_by(other, others, ports)
        if place is None:
            known = ", ".join(port.any_name for port in ports) or "none"
            what = f'the first model has no input "{other.any_name}", its inputs are {known}'
            raise DebugError(f"{name}: {what}")
        found[other.index] = in_type_of(other, inputs[place])
    return found


def of_shapes(other: Loaded, model: Loaded, shapes: Mapping[int, Shape]) -> Loaded:
    """Return another model with the shapes that inputs of a model were given, by place."""
    places = {port.index: _fed_by(port, other.inputs, model.inputs) for port in other.inputs}
    given = {index: shapes[place] for index, place in places.items() if place is not None and place in shapes}
    return other.reshaped(given) if given else other


def _fed_by(other: Port, others: Sequence[Port], ports: Sequence[Port]) -> int | None:
    """Return the place of the input whose array an input of another model gets."""
    named = next((port.index for port in ports if are_alike(other, port)), None)
    return other.index if named is None and len(ports) == len(others) else named


def in_type_of(port: Port, array: Array) -> Array:
    """Return an array in the element type of an input; text and arrays of dynamic types as they are."""
    wanted = port.element_type
    if not wanted.is_known or wanted.kind == "string":
        return array
    with np.errstate(all="ignore"):
        return array.astype(wanted.external, order="C", copy=False)
