"""Single layers of models as cases, with what the other side has for their inputs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from irrun.debugging.cases import Case
from irrun.debugging.cutting import constant_nodes, cut_out
from irrun.debugging.faults import DebugError
from irrun.debugging.places import Passer
from irrun.debugging.ports import in_type_of
from irrun.debugging.sides import Side, run_as_written
from irrun.graph import Outlet
from irrun.model import Loaded
from irrun.tensor import Array


def sources(model: Loaded, id: int) -> list[Outlet]:
    """Return the outlets that a layer consumes and that are not constant, in the order of its inputs."""
    known = constant_nodes(model.graph)
    found = (outlet for outlet in model.graph.sources(id) if outlet is not None and outlet.node not in known)
    return list(dict.fromkeys(found))


def single(model: Loaded, id: int, values: Mapping[Outlet, Array]) -> Case:
    """Return a layer with its constants as a case."""
    cut, outlets = cut_out(model, sources(model, id), model.facts.outlets(id), model.graph.node(id).name)
    return Case((cut,), tuple(in_type_of(cut.inputs[place], values[outlet]) for place, outlet in enumerate(outlets)))


def pair(model: Loaded, id: int, other: Loaded, counterpart: int, values: Mapping[Outlet, Array]) -> Case:
    """Return a layer of each model as a case, both with the same inputs."""
    first, ours = cut_out(model, sources(model, id), model.facts.outlets(id), model.graph.node(id).name)
    second, theirs = cut_out(
        other, sources(other, counterpart), other.facts.outlets(counterpart), other.graph.node(counterpart).name
    )
    places = [sources(model, id).index(outlet) for outlet in ours]
    if places != [sources(other, counterpart).index(outlet) for outlet in theirs]:
        raise DebugError(f'"{model.graph.node(id).name}" has other inputs in the other model')
    arrays = tuple(in_type_of(port, values[outlet]) for port, outlet in zip(first.inputs, ours, strict=True))
    return Case((first, second), arrays)


def inputs_of_pair(model: Loaded, id: int, other: Loaded, twin: int, inputs: Any) -> dict[Outlet, Array]:
    """Return what the other model has for the inputs of a layer, each at the same place as in its counterpart.

    DebugError where the two do not read the same number of tensors at the same places.
    """
    ours, theirs = model.graph.sources(id), other.graph.sources(twin)
    known = constant_nodes(model.graph), constant_nodes(other.graph)
    places = [
        {port for port, outlet in enumerate(some) if outlet is not None and outlet.node not in constant}
        for some, constant in zip((ours, theirs), known, strict=True)
    ]
    if places[0] != places[1]:
        raise DebugError(f'"{model.graph.node(id).name}" has other inputs in the other model')
    wanted = {outlet for port in places[1] if (outlet := theirs[port]) is not None}
    found = {Outlet(at, 0): inputs[place] for place, at in enumerate(other.graph.parameters)}
    run_as_written(other, inputs, {}, _taker(wanted - found.keys(), found))
    return {
        outlet: found[source]
        for port in places[0]
        if (outlet := ours[port]) is not None and (source := theirs[port]) is not None
    }


def inputs_of_layer(
    model: Loaded, inputs: Mapping[int, Array], side: Side, id: int, settings: Mapping[str, Any]
) -> dict[Outlet, Array]:
    """Return what the other side has for the inputs of a layer; the model's own where it has nothing."""
    wanted = set(sources(model, id))
    places = {Outlet(parameter, 0): place for place, parameter in enumerate(model.graph.parameters)}
    found = {outlet: inputs[places[outlet]] for outlet in wanted & places.keys()}
    pairs = side.counterparts(model)
    keys = {pairs[outlet][0]: outlet for outlet in wanted - found.keys() if outlet in pairs}
    if keys:
        side.tensors(keys.keys(), lambda key, array: found.update({keys[key]: array.copy()}))
    if wanted - found.keys():
        run_as_written(model, inputs, settings, _taker(wanted - found.keys(), found))
    return found


def _taker(wanted: Collection[Outlet], found: dict[Outlet, Array]) -> Passer:
    """Return an observer that copies some tensors of a run."""
    return Passer(lambda outlet, array: found.__setitem__(outlet, array.copy()), wanted)
