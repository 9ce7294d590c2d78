"""The order of the layers of a file that is written."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

from irrun.graph import Graph, Node


def in_order(graph: Graph, is_read: Callable[[Node], bool]) -> Iterator[Node]:
    """Yield the nodes of a graph, each new one before the first node that it feeds.

    Nodes that were read have the order of the file, Parameters and Results that of the inputs and outputs. Without
    nodes that were read, it is the topological order, with the Parameters first and the Results last.
    """
    places = _places(graph, is_read)
    for ends in (graph.parameters, graph.results):
        known = set(ends)
        slots = [place for place, id in enumerate(places) if id in known]
        for slot, id in zip(slots, ends, strict=True):
            places[slot] = id
    yield from map(graph.node, places)


def _places(graph: Graph, is_read: Callable[[Node], bool]) -> list[int]:
    parameters, results = set(graph.parameters), set(graph.results)
    read = [id for id in graph if is_read(graph.node(id))]
    if not read:
        middle = [node.id for node in graph.ordered() if node.id not in parameters and node.id not in results]
        return [*graph.parameters, *middle, *graph.results]
    places = {id: place for place, id in enumerate(read)}
    new = [id for id in graph.topological_order if id not in places]
    tail = len(read) - sum(1 for _ in itertools.takewhile(results.__contains__, reversed(read)))
    before: dict[int, list[int]] = {}
    for id in reversed([id for id in new if id not in parameters and id not in results]):
        users = [places[user] for user in graph.successors(id) if user not in results]
        places[id] = min(users, default=tail)
        before.setdefault(places[id], []).append(id)
    found = [id for id in new if id in parameters]
    for place, id in enumerate(read):
        found += [*reversed(before.get(place, ())), id]
    return [*found, *reversed(before.get(len(read), ())), *(id for id in new if id in results)]
