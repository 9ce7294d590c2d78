"""The layers of a model as a list, with what is known of their outputs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from irrun.graph import Graph, Outlet
from irrun.inference import Facts
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
