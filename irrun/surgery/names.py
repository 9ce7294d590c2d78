"""Other names of layers and tensors."""

from __future__ import annotations

from collections.abc import Mapping

from irrun.diagnostics import near_match
from irrun.editing import MutableGraph
from irrun.graph import Node
from irrun.graph.graph import NO_INFO
from irrun.model import InputError, Loaded
from irrun.model.layers import places_of
from irrun.surgery.drafts import closed, everywhere, opened


def rename(model: Loaded, layers: Mapping[str, str], tensors: Mapping[str, str] | None = None) -> Loaded:
    """Return a model with other names of layers and tensors; InputError for names that it does not have.

    A layer in a body is given with the names around it, ``loop/add``; its new name is given without them. Two layers of
    one name both get the new one.
    """
    plain, edited = opened(model)
    wanted = dict(tensors or {})
    places = list(places_of(plain))
    _require(layers, {place.name for place in places}, "layer")
    known = {name for place in places for names in place.node.names for name in names}
    _require(wanted, known | {name for port in plain.outputs for name in port.names}, "tensor")
    for new in layers.values():
        if not new:
            raise InputError("the new name of a layer is empty")

    def change(graph: MutableGraph, path: str) -> None:
        for id in list(graph.graph):
            node = graph.node(id)
            names = tuple(tuple(wanted.get(name, name) for name in tensor) for tensor in node.names)
            other = node._replace(name=layers.get(path + node.name, node.name), names=names)
            other = _with_output_names(other, wanted)
            if other != node:
                graph.update(other)

    everywhere(edited, change)
    return closed(edited, plain)


def without_names(model: Loaded) -> Loaded:
    """Return a model whose layers are called by their types and numbers, and whose tensors have no names.

    Inputs are called ``input_0`` and so on, outputs ``output_0``; the notes on how the model was made are left out.
    """
    plain, edited = opened(model)
    counts: dict[str, int] = {}

    def change(graph: MutableGraph, path: str) -> None:
        inputs = {id: f"input_{index}" for index, id in enumerate(graph.graph.parameters)} if not path else {}
        outputs = {id: f"output_{index}" for index, id in enumerate(graph.graph.results)} if not path else {}
        for id in list(graph.graph):
            node = graph.node(id)
            number = counts[node.type] = counts.get(node.type, -1) + 1
            name = inputs.get(id) or outputs.get(id) or f"{node.type}_{number}"
            names = ((inputs[id],),) if id in inputs else ((),) * len(node.names)
            graph.update(node._replace(name=name, names=names, info=NO_INFO, output_names=()))
        for id, name in outputs.items():
            for outlet in graph.sources(id):
                record = None if outlet is None else graph.node(outlet.node)
                if record is not None and outlet is not None and record.id not in inputs:
                    padded = [*record.names, *((),) * (outlet.port + 1 - len(record.names))]
                    padded[outlet.port] = (*padded[outlet.port], name)
                    graph.update(record._replace(names=tuple(padded)))

    everywhere(edited, change)
    made = closed(edited, plain)
    return Loaded(made.bound, made.facts, made.weights, name="model", version=made.version)


def _with_output_names(node: Node, wanted: Mapping[str, str]) -> Node:
    """Return a Result with other names of its own."""
    return node._replace(output_names=tuple(wanted.get(name, name) for name in node.output_names))


def _require(given: Mapping[str, str], known: set[str], what: str) -> None:
    for name in given:
        if name not in known:
            raise InputError(f'no {what} "{name}"{near_match(name, known)}')
