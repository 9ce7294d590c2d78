"""The nodes and edges of a drawing: layers without constants, with bodies inside."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from irrun.graph import Graph, Node, Outlet
from irrun.inference import Facts
from irrun.model import InputError, Loaded
from irrun.model.layers import find_id
from irrun.ops.extension import Extension

_KINDS: Final = {
    "convolution": "product",
    "matrix": "product",
    "activation": "activation",
    "normalization": "normalization",
    "pooling": "pooling",
    "reduction": "pooling",
    "movement": "movement",
    "shape": "movement",
    "type": "movement",
    "arithmetic": "arithmetic",
    "comparison": "arithmetic",
    "condition": "arithmetic",
    "logical": "arithmetic",
    "bitwise": "arithmetic",
    "sequence": "sequence",
    "internal": "sequence",
    "quantization": "quantization",
}
_TYPES: Final = {
    **dict.fromkeys(("Parameter", "Result", "ReadValue", "Assign"), "end"),
    **dict.fromkeys(("Loop", "TensorIterator", "If"), "sequence"),
    "Const": "constant",
}


@dataclass(frozen=True, slots=True)
class Box:
    """A node of a drawing. ``shape`` is that of its first output, ``kind`` the group of operations by which it is
    coloured; ``bodies`` are drawings by their tags.
    """

    id: int
    name: str
    type: str
    shape: str
    kind: str
    bodies: tuple[tuple[str, Scene], ...]


@dataclass(frozen=True, slots=True)
class Line:
    """An edge of a drawing, labelled with the shape of the tensor."""

    source: int
    source_port: int
    target: int
    target_port: int
    shape: str


@dataclass(frozen=True, slots=True)
class Scene:
    """What is drawn of a graph, the nodes in topological order."""

    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]


def scene_of(model: Loaded, begin: Iterable[str] = (), end: Iterable[str] = (), *, constants: bool = False) -> Scene:
    """Return the drawing of a model, or of the layers from some of them on, up to others; InputError for unknown names.

    Constants are left out, unless they feed a Result or ``constants`` is true.
    """
    graph = model.graph
    kept = set(graph)
    starts, ends = ([find_id(model, name) for name in names] for names in (begin, end))
    if starts:
        kept &= graph.downstream(starts)
    if ends:
        kept &= graph.upstream(ends)
    if (starts or ends) and not kept:
        raise InputError(f"no path leads from {_names(graph, starts)} to {_names(graph, ends)}")
    return _scene(graph, model.facts, kept, constants)


def kind_of(node: Node) -> str:
    """Return the group of operations by which a node is coloured."""
    if node.type in _TYPES:
        return _TYPES[node.type]
    if node.op is None or isinstance(node.op, Extension):
        return "other"
    return _KINDS.get(node.op.spec.category, "other")


def _scene(graph: Graph, facts: Facts | None, kept: set[int], constants: bool) -> Scene:
    known = (*graph.topological_order, *sorted(set(graph) - set(graph.topological_order)))
    shown = {id for id in kept if constants or _is_shown(graph, id)}
    boxes = tuple(_box(graph.node(id), facts, constants) for id in known if id in shown)
    lines = [
        Line(source.node, source.port, id, port, _shape(facts, source))
        for id in known
        if id in shown
        for port, source in enumerate(graph.sources(id))
        if source is not None and source.node in shown
    ]
    return Scene(boxes, tuple(lines))


def _is_shown(graph: Graph, id: int) -> bool:
    if graph.node(id).type != "Const":
        return True
    return any(graph.node(user).type == "Result" for user in graph.successors(id))


def _box(node: Node, facts: Facts | None, constants: bool) -> Box:
    bodies = tuple(
        (
            tag,
            _scene(body.graph, None if facts is None else facts.bodies.get((node.id, tag)), set(body.graph), constants),
        )
        for tag, body in node.bodies.items()
    )
    shape = _shape(facts, Outlet(node.id, 0)) if node.outputs else ""
    return Box(node.id, node.name, node.type, shape, kind_of(node), bodies)


def _shape(facts: Facts | None, outlet: Outlet) -> str:
    fact = None if facts is None else facts.get(outlet)
    return "" if fact is None else str(fact.shape)


def _names(graph: Graph, ids: Iterable[int]) -> str:
    return ", ".join(f'"{graph.node(id).name}"' for id in ids) or "any layer"
