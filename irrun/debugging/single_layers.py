"""Single layers of models as cases, with what the other side has for their inputs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from irrun.debugging.cases import Case
from irrun.debugging.cutting import constant_nodes, cut_out
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


def inputs_of_layer(
    model: Loaded, inputs: Mapping[int, Array], side: Side, id: int, settings: Mapping[str, Any]
) -> dict[Outlet, Array]:
    """Return what the other side has for the inputs of a layer; the model's own where it has nothing."""
    wanted = set(sources(model, id))
    places = {Outlet(parameter, 0): place for place, parameter in enumerate(model.graph.parameters)}
    found = {outlet: inputs[places[outlet]] for outlet in wanted & places.keys()}
    pairs = side.counterparts(model, inputs)
    keys = {pairs[outlet][0]: outlet for outlet in wanted - found.keys() if outlet in pairs}
    if keys:
        side.tensors(keys.keys(), lambda key, array: found.update({keys[key]: array.copy()}))
    if wanted - found.keys():
        run_as_written(model, inputs, settings, _taker(wanted - found.keys(), found))
    return found


def _taker(wanted: Collection[Outlet], found: dict[Outlet, Array]) -> Passer:
    """Return an observer that copies some tensors of a run."""
    return Passer(lambda outlet, array: found.__setitem__(outlet, array.copy()), wanted)
