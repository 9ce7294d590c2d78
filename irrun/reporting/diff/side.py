"""A graph that is compared with another, with the colours by which their nodes are matched."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any, Final

from irrun.document.weights import Weights, WeightsOutOfRange
from irrun.graph import Graph, Node, Outlet
from irrun.inference import Facts
from irrun.ops._declared.infrastructure.const import Const
from irrun.ops.context import BodyPorts
from irrun.ops.extension import Extension
from irrun.tensor import Fact
from irrun.tensor.storing import pack

_PLACES: Final = frozenset({"offset", "size"})
"""Attributes that say where a value is in the weights file."""

Colours = dict[Any, int]
"""Numbers of descriptions: equal descriptions have equal numbers, on both sides."""


class GraphSide:
    """A graph with its facts, and a colour for what each node is, what leads to it, and what it leads to.

    ``own`` is the colour of a node alone: its operation, attributes, constant value and bodies. That of a Parameter
    does not depend on its shape. ``up`` is the colour of a node with all that it depends on, ``down`` with all that
    depends on it.
    """

    def __init__(
        self,
        graph: Graph,
        facts: Facts | None,
        weights: Weights,
        colours: Colours,
        ports: BodyPorts | None = None,
        tag: str = "",
    ) -> None:
        self.graph = graph
        self.facts = facts
        self.weights = weights
        self._colours = colours
        self._attributes: dict[int, str] = {}
        self._roles = _roles(graph, ports, tag)
        self.order: tuple[int, ...] = (*graph.topological_order, *sorted(set(graph) - set(graph.topological_order)))
        self.sources: dict[int, tuple[Outlet | None, ...]] = {id: graph.sources(id) for id in graph}
        self.consumers: dict[int, list[tuple[int, int, int]]] = {
            id: sorted((port, inlet.port, inlet.node) for port, inlet in graph.fed(id)) for id in graph
        }
        self.own: dict[int, int] = {id: self._own(graph.node(id)) for id in graph}

    def node(self, id: int) -> Node:
        return self.graph.node(id)

    def is_constant(self, id: int) -> bool:
        return isinstance(self.node(id).op, Const)

    @functools.cached_property
    def up(self) -> dict[int, int]:
        found: dict[int, int] = {}
        for id in self.order:
            sources = [item and (found.get(item.node), item.port) for item in self.sources[id]]
            found[id] = self._colour(("up", self.own[id], *sources))
        return found

    @functools.cached_property
    def down(self) -> dict[int, int]:
        found: dict[int, int] = {}
        for id in reversed(self.order):
            users = sorted((found.get(user, -1), port, inlet) for port, inlet, user in self.consumers[id])
            found[id] = self._colour(("down", self.own[id], *users))
        return found

    def body(self, id: int, tag: str) -> GraphSide:
        """Return the side of a body."""
        body = self.node(id).bodies[tag]
        facts = None if self.facts is None else self.facts.bodies.get((id, tag))
        return GraphSide(body.graph, facts, self.weights, self._colours, body.ports, tag)

    def attributes(self, node: Node) -> dict[str, str]:
        """Return the attributes of an operation as texts, without the place of a constant in the weights file."""
        op = node.op
        if op is None or isinstance(op, Extension):
            return dict(node.layer.data) if node.layer is not None else {}
        return {
            item.name: item.text(value)
            for item in op.spec.attributes
            if item.name not in _PLACES and (value := getattr(op, item.field)) is not None
        }

    def content(self, id: int) -> object:
        """Return a digest of the bytes of a constant; None where they are not known."""
        op = self.node(id).op
        assert isinstance(op, Const)
        fact = getattr(op, "fact", None)
        if fact is not None:
            known = fact.constant
            if known is None:
                return None
            return known.tolist() if fact.type.kind == "string" else _digest(pack(known.reshape(-1), fact.type.name))
        try:
            data = self.weights.read(op.offset, op.needed)
        except WeightsOutOfRange:
            return None
        return None if data is None else _digest(data)

    def fact(self, outlet: Outlet | None) -> Fact | None:
        return None if self.facts is None else self.facts.get(outlet)

    def fact_text(self, outlet: Outlet) -> tuple[str, str] | None:
        """Return the element type and the shape of an outlet; None where they are not known."""
        fact = self.fact(outlet)
        return None if fact is None else (str(fact.type), str(fact.shape))

    def role(self, id: int) -> str:
        """Return how a Parameter or Result of a body is connected to its layer."""
        return self._roles.get(id, "")

    def _own(self, node: Node) -> int:
        op = node.op
        if isinstance(op, Const):
            return self._colour(("Const", str(op.element_type), str(op.shape), str(self.content(node.id))))
        kind = node.type if op is None or isinstance(op, Extension) else f"{op.type}-{op.opset}"
        if node.type == "Parameter":
            return self._colour((kind, self.role(node.id)))
        known = self._attributes.get(id(op)) if op is not None else None
        if known is None:
            known = self._attributes[id(op)] = repr(self.attributes(node))
        bodies = tuple(
            (tag, tuple(sorted((inner.up[id], inner.down[id]) for id in inner.order)))
            for tag, inner in ((tag, self.body(node.id, tag)) for tag in node.bodies)
        )
        return self._colour((kind, known, len(self.sources[node.id]), node.outputs, self.role(node.id), bodies))

    def _colour(self, description: Any) -> int:
        return self._colours.setdefault(description, len(self._colours))


def unique(names: Iterable[tuple[Any, int]]) -> dict[Any, int]:
    """Return the ids by key, of keys that only one has."""
    found: dict[Any, int] = {}
    repeated = set()
    for key, id in names:
        if key in found:
            repeated.add(key)
        found[key] = id
    return {key: id for key, id in found.items() if key not in repeated}


def _digest(data: Any) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def _roles(graph: Graph, ports: BodyPorts | None, tag: str) -> Mapping[int, str]:
    """Return the entries of a port map in words, by the Parameter or Result that they connect."""
    if ports is None:
        return {}
    found: dict[int, list[str]] = {}
    for ends, entries, word in ((graph.parameters, ports.inputs, "input"), (graph.results, ports.outputs, "output")):
        for entry in entries:
            sliced = f" sliced along {entry[2:]}" if entry.axis is not None else ""
            external = "no port" if entry.external is None else f"{word} {entry.external}"
            found.setdefault(ends[entry.internal], []).append(f"{external}{sliced}")
    for result, parameter in ports.back_edges:
        found.setdefault(graph.parameters[parameter], []).append("fed back")
        found.setdefault(graph.results[result], []).append("fed back")
    return {id: f"{tag}: {', '.join(texts)}" for id, texts in found.items()}
