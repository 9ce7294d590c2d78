"""A fault as a model with one layer that is changed, and the ways to change it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from irrun.graph import Node
from irrun.model import Loaded
from irrun.openvino.nodes.records import with_attribute
from irrun.tensor import Array
from tests.lab.pairs.editing import Edit


class Planted(NamedTuple):
    """A model with a fault in one layer; a layer that is left out is one of the sound model."""

    layer: str
    model: Loaded
    cause: str


Kind = Callable[[Loaded], Iterator[Planted | None]]


def done(edit: Edit, layer: str, cause: str) -> Planted | None:
    made = edit.done()
    return None if made is None else Planted(layer, made, cause)


def hold(edit: Edit, node: Node, port: int, value: Array) -> None:
    """Give a layer another constant, of the name of the one before."""
    outlet = edit.source(node, port)
    sources = list(edit.graph.sources(node.id))
    sources[port] = edit.const(value, edit.model.facts[outlet].type, edit.model.graph.node(outlet.node).name)
    edit.graph.feed(node.id, sources)


def constants(model: Loaded, *types: str, port: int | None = None) -> Iterator[tuple[Edit, Node, int, Array]]:
    for node in Edit(model).layers(*types):
        for at in range(len(model.graph.sources(node.id))) if port is None else [port]:
            edit = Edit(model)
            value = edit.value(node, at)
            if value is not None:
                yield edit, node, at, value


def changed(model: Loaded, name: str, change: Callable[[Any], Any], *types: str) -> Iterator[Planted | None]:
    for node in Edit(model).layers(*types):
        before = getattr(node.op, name, None)
        after = None if before is None else change(before)
        if after is None or after == before:
            continue
        edit = Edit(model)
        try:
            edit.graph.update(with_attribute(node, name, after))
        except Exception:
            continue
        yield done(edit, node.name, "attribute")
