"""The layers of a model as a list, with what is known of their outputs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from irrun.diagnostics import near_match
from irrun.graph import Graph, Node, Outlet
from irrun.inference import Facts
from irrun.model.arguments import InputError
from irrun.model.loaded import Loaded


class Layer(NamedTuple):
    """A layer of the file: its id, type, opset and name, and the types and shapes of its outputs.

    ``path`` names the layers whose bodies it is in, each followed by a slash. Outputs of which nothing is known are ?.
    """

    id: str
    type: str
    version: str
    path: str
    name: str
    outputs: tuple[str, ...]


def layers_of(model: Loaded) -> Iterator[Layer]:
    """Yield the layers in topological order, those of bodies after the layer that has them."""
    yield from _layers(model.bound.graph, model.facts, "")


def _layers(graph: Graph, facts: Facts | None, path: str) -> Iterator[Layer]:
    for node in graph.ordered():
        known = [None if facts is None else facts.get(Outlet(node.id, port)) for port in range(node.outputs)]
        outputs = tuple("?" if fact is None else str(fact) for fact in known)
        id = "" if node.layer is None else node.layer.id
        yield Layer(id, node.type, node.version, path, node.name, outputs)
        for tag, body in node.bodies.items():
            inner = None if facts is None else facts.bodies.get((node.id, tag))
            yield from _layers(body.graph, inner, f"{path}{node.name}/")


class Place(NamedTuple):
    """A node, with the graph that has it and what is known of its tensors.

    ``path`` names the layers whose bodies it is in, each followed by a slash; ``outer`` is the innermost of them, with
    the tag of the body.
    """

    node: Node
    graph: Graph
    facts: Facts | None
    path: str
    outer: tuple[Place, str] | None = None

    @property
    def name(self) -> str:
        return self.path + self.node.name


def find_layer(model: Loaded, key: str) -> Place:
    """Return the layer with a name, a tensor name or an id, in this order; InputError where there is no single one.

    The name of a layer in a body may follow those of the layers around it: ``loop/add``.
    """
    places = list(places_of(model))
    named = [place for place in places if place.name == key] or [place for place in places if place.node.name == key]
    tensors = [place for place in places if any(key in names for names in place.node.names)]
    found = named or tensors or [place for place in places if not place.path and _id(place.node) == key]
    if not found:
        raise InputError(f'no layer "{key}"{near_match(key, [place.name for place in places])}')
    if len(found) > 1:
        ids = ", ".join(f"{place.path}{_id(place.node)} ({place.node.type})" for place in found[:5])
        raise InputError(f'{len(found)} layers are called "{key}", expected one: give the id or the path, {ids}')
    return found[0]


def find_id(model: Loaded, key: str) -> int:
    """Return the id of the node of a layer of the model itself; InputError also for a layer in a body."""
    place = find_layer(model, key)
    if place.outer is not None:
        outer = place.outer[0].name
        raise InputError(f'layer "{place.name}" is in a body of "{outer}", expected a layer of the model itself')
    return place.node.id


def places_of(model: Loaded) -> Iterator[Place]:
    """Yield the place of every layer, those of bodies after the layer that has them."""
    yield from _places(model.graph, model.facts, "", None)


def _places(graph: Graph, facts: Facts | None, path: str, outer: tuple[Place, str] | None) -> Iterator[Place]:
    for id in graph:
        place = Place(graph.node(id), graph, facts, path, outer)
        yield place
        for tag, body in place.node.bodies.items():
            inner = None if facts is None else facts.bodies.get((id, tag))
            yield from _places(body.graph, inner, f"{place.name}/", (place, tag))


def _id(node: Node) -> str:
    return str(node.id) if node.layer is None else node.layer.id
