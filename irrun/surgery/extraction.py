"""A piece of a model as a model of its own, and the tensors that reach it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from irrun.editing import piece
from irrun.graph import Bound, Graph, Outlet
from irrun.graph.graph import PARAMETER, RESULT
from irrun.model import InputError, Loaded, build
from irrun.model.layers import find_id
from irrun.surgery.drafts import VERSION, closed, opened
from irrun.tensor import Array


@dataclass(frozen=True, slots=True)
class Extract:
    """A piece of a model.

    ``inputs`` and ``outputs`` are the names of the layers of ``whole``, each with the index of an output, that its
    inputs and outputs stand for, in their order.
    """

    model: Loaded
    whole: Loaded
    inputs: tuple[tuple[str, int], ...]
    outputs: tuple[tuple[str, int], ...]
    outlets: tuple[Outlet, ...]


def extract(model: Loaded, begin: Iterable[str] = (), end: Iterable[str] = ()) -> Extract:
    """Return the layers on the paths from some layers to others, these included, as a model.

    Without ``begin`` the piece begins at the inputs of the model, without ``end`` it ends at the outputs. What other
    layers feed becomes an input, unless its value is constant; so do variables that are read. Layers are given by
    name, tensor name or id; InputError for unknown ones, those in bodies, and where no path leads from one to another.
    """
    plain, edited = opened(model)
    whole = plain if edited.graph is plain.graph else closed(edited, plain)
    graph = whole.graph
    starts, ends = ([find_id(whole, key) for key in keys] for keys in (begin, end))
    inside = _between(graph, starts, ends)
    outlets = [outlet for id in ends or _results(graph, inside) for outlet in _made(graph, id)]
    outlets = list(dict.fromkeys(outlets))
    cut = [*(_entering(graph, inside) if starts else []), *_variables(graph, inside)]
    found = piece(graph, whole.facts, whole.weights, cut, outlets)
    name = whole.friendly_name
    made = Loaded(Bound(found.graph, (), {}), found.facts, whole.weights, name=name, version=VERSION)
    first, second = (tuple((graph.node(id).name, port) for id, port in ports) for ports in (found.inputs, outlets))
    return Extract(made, whole, first, second, tuple(found.inputs))


def record(found: Extract, inputs: Mapping[Any, Any]) -> dict[str, Array]:
    """Return the tensors that reach a piece when the whole model runs on ``inputs``, by the names of its inputs."""
    if not found.outlets:
        return {}
    whole = found.whole
    ahead = piece(whole.graph, whole.facts, whole.weights, (), found.outlets)
    model = Loaded(Bound(ahead.graph, (), {}), ahead.facts, whole.weights, version=VERSION)
    names = {port.any_name for port in model.inputs}
    given = {port.any_name: inputs[port.any_name] for port in whole.inputs if port.any_name in names}
    outputs = build(model, {"OPTIMIZE": False}).session().run(given)
    return {port.any_name: outputs[index] for index, port in enumerate(found.model.inputs)}


def _between(graph: Graph, starts: Sequence[int], ends: Sequence[int]) -> set[int]:
    """Return the nodes on the paths from the starts to the ends; InputError where there is none."""
    inside = graph.downstream(starts) if starts else set(graph)
    inside &= graph.upstream(ends or graph.results)
    lost = [id for id in (*starts, *(ends if starts else ())) if id not in inside]
    if lost:
        name = graph.node(lost[0]).name
        side = "begins" if lost[0] in starts else "ends"
        raise InputError(f'no path that {side} at "{name}" is between the layers that are given')
    return inside


def _variables(graph: Graph, inside: set[int]) -> list[Outlet]:
    """Return what is read of variables: a piece does not assign them, and no model reads one that is never assigned."""
    return [Outlet(id, 0) for id in graph.topological_order if id in inside and graph.node(id).type == "ReadValue"]


def _results(graph: Graph, inside: set[int]) -> list[int]:
    return [id for id in graph.results if id in inside]


def _made(graph: Graph, id: int) -> list[Outlet]:
    """Return the outlets that a layer ends a piece with: those that other layers read, or all of them."""
    node = graph.node(id)
    if node.type == RESULT:
        return [outlet for outlet in graph.sources(id) if outlet is not None]
    every = [Outlet(id, port) for port in range(node.outputs)]
    if not every:
        raise InputError(f'layer "{node.name}" ({node.type}) has no output, expected a layer that has one')
    return [outlet for outlet in every if graph.consumers(outlet)] or every


def _entering(graph: Graph, inside: set[int]) -> list[Outlet]:
    """Return the outlets outside that feed layers inside, without constants."""
    return list(
        dict.fromkeys(
            outlet
            for id in graph.topological_order
            if id in inside and graph.node(id).type != PARAMETER
            for outlet in graph.sources(id)
            if outlet is not None and outlet.node not in inside and graph.node(outlet.node).type != "Const"
        )
    )
