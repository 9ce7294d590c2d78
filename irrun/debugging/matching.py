"""Layers of two models that compute the same: by name, then by structure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, Final, NamedTuple

import networkx as nx

from irrun.graph import Graph, Node, Outlet

_DEPTHS: Final = (6, 3, 1)
"""The distances within which the surroundings of two layers must be alike, the farthest first."""

_MOST: Final = 2000
"""The number of layers up to which a part of a graph is searched for an isomorphic one."""

PRODUCTS: Final = frozenset(
    {"Multiply", "Divide", "MatMul", "Convolution", "GroupConvolution", "ConvolutionBackpropData", "BatchNormInference"}
)
"""Layers into whose constants an exporter may move a factor, so that equal structure does not mean equal values."""


class Described(NamedTuple):
    """A layer of a model as matching sees it: ``kind`` must be equal, ``is_scaled`` marks a product with a constant."""

    name: str
    kind: str
    is_scaled: bool = False


Structure = nx.MultiDiGraph
"""A graph whose nodes have a ``Described`` as ``layer``, and whose edges have ``from_port`` and ``to_port``."""


def structure_of(graph: Graph) -> nx.MultiDiGraph[Any]:
    """Return the layers of a graph without constants, with type and attributes as their kind."""
    from irrun.debugging.cutting import constant_nodes

    constant = constant_nodes(graph)
    found: nx.MultiDiGraph[Any] = nx.MultiDiGraph()
    for node in graph.ordered():
        if node.id not in constant and node.type != "Result":
            sources = [outlet.node for outlet in graph.sources(node.id) if outlet is not None]
            is_scaled = node.type in PRODUCTS and any(source in constant for source in sources)
            found.add_node(node.id, layer=Described(node.name, _kind(node), is_scaled))
    for source, target, edge in graph.edges(data=True):
        if source in found and target in found:
            found.add_edge(source, target, **edge)
    return found


def _kind(node: Node) -> str:
    data = dict(node.layer.data) if node.layer is not None else {}
    hidden = ("offset", "size", "shape") if node.type in ("Const", "Parameter") else ()
    attributes = ",".join(f"{key}={value}" for key, value in sorted(data.items()) if key not in hidden)
    return f"{node.type}({attributes})"


def matched(
    left: nx.MultiDiGraph[Any], right: nx.MultiDiGraph[Any], known: Mapping[Any, Any] | None = None
) -> dict[Any, tuple[Any, str]]:
    """Return the counterpart of each layer of ``left`` that has one, and whether ``name`` or ``structure`` says so.

    Layers of equal name come first; of several of one name, the first. The others are matched where what surrounds them
    is alike, layers with a counterpart counting as alike to that only, and unambiguous; then where the part of the
    graph that is left is isomorphic to one of the other side; then where they follow, or precede, layers that are
    matched, as the only ones of their kind. A product with a constant is matched by name only.
    """
    found: dict[Any, tuple[Any, str]] = {key: (other, "name") for key, other in (known or {}).items()}
    taken = {other for other, _ in found.values()}
    by_name: dict[str, Any] = {}
    for key, data in right.nodes(data=True):
        by_name.setdefault(data["layer"].name, key)
    for key, data in left.nodes(data=True):
        other = by_name.get(data["layer"].name)
        if key not in found and other is not None and other not in taken:
            found[key] = other, "name"
            taken.add(other)
    for depth in _DEPTHS:
        _match_unique(left, right, found, depth)
    _match_parts(left, right, found)
    while _match_next(left, right, found) or _match_next(left.reverse(copy=False), right.reverse(copy=False), found):
        pass
    return found


def _match_next(left: nx.MultiDiGraph[Any], right: nx.MultiDiGraph[Any], found: dict[Any, tuple[Any, str]]) -> bool:
    """Match the layers that the counterparts of their sources feed in the same way; return whether there are any."""
    taken = {other for other, _ in found.values()}
    before = len(found)
    for key in left:
        edges = list(left.in_edges(key, data=True))
        layer = left.nodes[key]["layer"]
        if key in found or layer.is_scaled or not edges or any(source not in found for source, _, _ in edges):
            continue
        wanted = Counter((found[source][0], edge["from_port"], edge["to_port"]) for source, _, edge in edges)
        near = {other for source, _, _ in wanted for other in right.successors(source) if other not in taken}
        alike = [
            other
            for other in near
            if right.nodes[other]["layer"].kind == layer.kind
            and wanted == Counter((s, e["from_port"], e["to_port"]) for s, _, e in right.in_edges(other, data=True))
        ]
        if len(alike) == 1:
            found[key] = alike[0], "structure"
            taken.add(alike[0])
    return len(found) > before


def _match_unique(
    left: nx.MultiDiGraph[Any], right: nx.MultiDiGraph[Any], found: dict[Any, tuple[Any, str]], depth: int
) -> None:
    """Match the layers whose surroundings no other layer of their side has."""
    colours = _colours(left, {key: index for index, key in enumerate(found)}, depth)
    numbers = {other: index for index, (other, _) in enumerate(found.values())}
    others = _colours(right, numbers, depth)
    ours, theirs = Counter(colours.values()), Counter(others.values())
    where = {colour: key for key, colour in others.items()}
    taken = {other for other, _ in found.values()}
    for key, colour in colours.items():
        other = where.get(colour)
        if key in found or other is None or other in taken or ours[colour] != 1 or theirs[colour] != 1:
            continue
        if not left.nodes[key]["layer"].is_scaled:
            found[key] = other, "structure"


def _colours(graph: nx.MultiDiGraph[Any], numbers: Mapping[Any, int], depth: int) -> dict[Any, str]:
    """Return a text for each layer that is equal for layers with the same surroundings up to a distance.

    Weisfeiler and Lehman's refinement, by port and by direction.
    """
    colours = {key: _colour(data["layer"], numbers.get(key)) for key, data in graph.nodes(data=True)}
    for _ in range(depth):
        fixed = {key: colours[key] for key in numbers if key in colours}
        colours = {key: str(hash((colours[key], str(_near(graph, key, colours))))) for key in graph} | fixed
    return colours


def _near(graph: nx.MultiDiGraph[Any], key: Any, colours: Mapping[Any, str]) -> tuple[list[Any], list[Any]]:
    """Return the colours of the layers that feed a layer and of those that it feeds, by port."""
    fed = sorted((e["to_port"], e["from_port"], colours[s]) for s, _, e in graph.in_edges(key, data=True))
    feeds = sorted((e["from_port"], e["to_port"], colours[t]) for _, t, e in graph.out_edges(key, data=True))
    return fed, feeds


def _colour(layer: Described, number: int | None) -> str:
    return layer.kind if number is None else f"#{number}"


def _match_parts(left: nx.MultiDiGraph[Any], right: nx.MultiDiGraph[Any], found: dict[Any, tuple[Any, str]]) -> None:
    """Match the parts without a counterpart that are isomorphic, with the layers that they are connected to."""
    numbers = {key: index for index, key in enumerate(found)}
    backs = {other: index for index, (other, _) in enumerate(found.values())}
    candidates = list(_parts(right, backs))
    for part in _parts(left, numbers):
        for index, other in enumerate(candidates):
            if _census(part) != _census(other) or len(part) > _MOST:
                continue
            matcher = nx.algorithms.isomorphism.MultiDiGraphMatcher(
                part, other, node_match=lambda a, b: a["colour"] == b["colour"], edge_match=lambda a, b: a == b
            )
            if matcher.is_isomorphic():
                for key, counterpart in matcher.mapping.items():
                    if key not in numbers and not left.nodes[key]["layer"].is_scaled:
                        found[key] = counterpart, "structure"
                del candidates[index]
                break


def _parts(graph: nx.MultiDiGraph[Any], numbers: Mapping[Hashable, int]) -> Iterable[nx.MultiDiGraph[Any]]:
    """Yield the connected parts of a graph without a counterpart, each with its neighbours that have one."""
    rest = graph.subgraph([key for key in graph if key not in numbers])
    for keys in list(nx.weakly_connected_components(rest)):
        near = {key for inner in keys for key in (*graph.predecessors(inner), *graph.successors(inner))}
        part = graph.subgraph(keys | near).copy()
        for key, data in part.nodes(data=True):
            data["colour"] = _colour(data["layer"], numbers.get(key))
        yield part


def _census(graph: nx.MultiDiGraph[Any]) -> Counter[str]:
    return Counter(data["colour"] for _, data in graph.nodes(data=True))


def matched_outlets(left: Graph, right: Graph) -> dict[Outlet, tuple[Outlet, str]]:
    """Return the counterpart of each output of a layer of one graph in another."""
    pairs = matched(structure_of(left), structure_of(right))
    return {
        Outlet(id, port): (Outlet(other, port), how)
        for id, (other, how) in pairs.items()
        for port in range(min(left.node(id).outputs, right.node(other).outputs))
    }
