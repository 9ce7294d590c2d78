"""Finds a small graph that fails as a large one does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from irrun.ops import OpError
from irrun.tensor import Array, Fact
from tests.lab.graphs.edits import bodies, bypasses, cuts, defaults, fewer_results, known, leaf, rounder, smaller, told
from tests.lab.graphs.graph import Graph, Input, Layer, Node, Source, variable

Fails = Callable[[Graph], bool]

MOST_TRIES: Final = 200
"""Candidates that are tried before what was found is taken."""

_DEPTHS: Final = (1, 2, 3, 4, 6, 9)
"""Numbers of layers to keep before a layer, tried in turn."""


def shrink(graph: Graph, fails: Fails, tries: int = MOST_TRIES) -> Graph:
    """The smallest graph found that ``fails``, which the given one does."""
    budget = [tries]

    def check(candidate: Graph) -> bool:
        if budget[0] <= 0 or not _is_complete(candidate):
            return False
        budget[0] -= 1
        try:
            known(candidate)
            return fails(candidate)
        except (OpError, ValueError, LookupError, ArithmeticError):
            return False

    graph = _narrowed(graph, check)
    for edits in (fewer_results, cuts, bypasses, bodies, told, defaults, smaller, rounder):
        graph = _greedy(graph, edits, check)
    return graph


def _is_complete(graph: Graph) -> bool:
    """Return whether there is a result, and each variable that is read is also written."""
    kinds: dict[str, set[str | None]] = {"ReadValue": set(), "Assign": set()}
    for layer in graph.layers:
        if layer.op.type in kinds:
            kinds[layer.op.type].add(variable(layer))
    return bool(graph.results) and kinds["ReadValue"] == kinds["Assign"]


def _narrowed(graph: Graph, check: Fails) -> Graph:
    """The last layer without which nothing fails, and as few of those before it as possible."""
    low, high = 0, len(graph.nodes)
    if not check(_prefix(graph, high)):
        return graph
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if check(_prefix(graph, middle)) else (middle, high)
    arrays, facts = known(graph)
    for depth in _DEPTHS:
        for dynamic in (False, True):
            candidate = _kept(graph, _before(graph, high - 1, depth), arrays, facts, dynamic=dynamic)
            if candidate.results and check(candidate):
                return candidate
    return _prefix(graph, high)


def _prefix(graph: Graph, count: int) -> Graph:
    """The first nodes; what none of them reads is a result."""
    nodes = graph.nodes[:count]
    read = {source for node in nodes if isinstance(node, Layer) for source in node.sources}
    ends = [source for index, node in enumerate(nodes) for source in _ends(index, node)]
    return Graph(nodes, tuple(source for source in ends if source not in read or source in graph.results))


def _greedy(graph: Graph, edits: Callable[[Graph], Iterator[Graph]], check: Fails) -> Graph:
    """Take edits as long as one of them still fails."""
    while True:
        for candidate in edits(graph):
            if _weight(candidate) < _weight(graph) and check(candidate):
                graph = candidate
                break
        else:
            return graph


def _ends(index: int, node: Node) -> list[Source]:
    """The outputs of a layer that may be results."""
    if not isinstance(node, Layer) or node.op.type == "Assign":
        return []
    return [Source(index, port) for port in range(node.outputs)]


def _weight(graph: Graph) -> tuple[float, ...]:
    """Return the measures to minimise: layers, results, inputs, elements, unusual attributes and numbers."""
    arrays = [node.value for node in graph.nodes if not isinstance(node, Layer) and node.value is not None]
    return (
        sum(1 for _ in graph.layers),
        len(graph.results),
        len(graph.nodes),
        sum(not node.fact.shape.is_static for node in graph.nodes if isinstance(node, Input)),
        sum(array.size for array in arrays),
        sum(_oddities(layer) for layer in graph.layers),
        sum(_digits(array) for array in arrays),
    )


def _oddities(layer: Layer) -> int:
    return sum(getattr(layer.op, spec.field) != spec.default for spec in layer.op.spec.attributes)


def _digits(array: Array) -> float:
    if array.dtype.kind not in "iuf":
        return 0.0
    values = array.astype(np.float64)
    return float((values != 0).sum() + 2 * (values != 1).sum() + 3 * (values != np.round(values)).sum())


def _before(graph: Graph, index: int, depth: int) -> set[int]:
    node = graph.nodes[index]
    if not isinstance(node, Layer) or depth == 0:
        return set()
    return {index}.union(*(_before(graph, source.node, depth - 1) for source in node.sources))


def _kept(
    graph: Graph, kept: set[int], arrays: Mapping[Source, Array], facts: Mapping[Source, Fact], *, dynamic: bool
) -> Graph:
    """Some layers, what they read from others being inputs; what they make and none of them reads is a result."""
    nodes: list[Node] = []
    placed: dict[Source, Source] = {}
    read: set[Source] = set()
    for index in sorted(kept):
        node = graph.nodes[index]
        assert isinstance(node, Layer)
        for source in node.sources:
            if source.node not in kept and source not in placed:
                placed[source] = Source(len(nodes))
                nodes.append(leaf(source, arrays, facts, dynamic=dynamic))
        read |= set(node.sources)
        nodes.append(replace(node, sources=tuple(placed[source] for source in node.sources)))
        placed |= {Source(index, port): Source(len(nodes) - 1, port) for port in range(node.outputs)}
    ends = [source for index in sorted(kept) for source in _ends(index, graph.nodes[index])]
    results = [placed[source] for source in ends if source not in read or source in graph.results]
    return Graph(tuple(nodes), tuple(results))
