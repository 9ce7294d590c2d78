"""Pieces of models as models of their own, and as files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from irrun.editing import piece
from irrun.graph import Bound, Graph, Outlet
from irrun.inference import Facts
from irrun.model import Loaded
from irrun.openvino.models.writing import written
from irrun.openvino.values.rt_info import RTMap


def model_of(whole: Loaded, graph: Graph, facts: Facts, name: str = "") -> Loaded:
    """Return a graph made from that of a model as a model."""
    return Loaded(Bound(graph, (), {}), facts, whole.weights, name=name or whole.friendly_name, version="11")


def cut_out(
    whole: Loaded, start: Sequence[Outlet], end: Sequence[Outlet], name: str = ""
) -> tuple[Loaded, list[Outlet]]:
    """Return the layers between some outlets and others as a model, and the outlets that its inputs stand for."""
    found = piece(whole.graph, whole.facts, whole.weights, start, end)
    return model_of(whole, found.graph, found.facts, name), list(found.inputs)


def around(whole: Loaded, id: int) -> tuple[Loaded, list[Outlet]]:
    """Return a layer with its constants as a model, and the outlets of the whole model that its inputs stand for."""
    known = constant_nodes(whole.graph)
    start = [outlet for outlet in whole.graph.sources(id) if outlet is not None and outlet.node not in known]
    return cut_out(whole, start, whole.facts.outlets(id), whole.graph.node(id).name)


def constant_nodes(graph: Graph) -> set[int]:
    """Return the nodes that depend on constants only."""
    known: set[int] = set()
    for node in graph.ordered():
        sources = [outlet for outlet in graph.sources(node.id) if outlet is not None]
        if node.type == "Const" or (sources and all(outlet.node in known for outlet in sources)):
            known.add(node.id)
    return known


def save(model: Loaded, path: Path) -> None:
    """Write a model as an ``.xml`` and the ``.bin`` beside it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    written(model, model.friendly_name, RTMap()).save(path)
