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
        slots = sorted(place for place, id in enumerate(places) if id in ends)
        for slot, id in zip(slots, ends, strict=True):
            places[slot] = id
    yield from map(graph.node, places)


def _places(graph: Graph, is_read: Callable[[Node], bool]) -> list[int]:
    ends = {*graph.parameters, *graph.results}
    read = [id for id in graph if is_read(graph.node(id))]
    if not read:
        return [*graph.parameters, *(node.id for node in graph.ordered() if node.id not in ends), *graph.results]
    new = [id for id in graph.topological_order if id not in set(read)]
    tail = len(read) - sum(1 for _ in itertools.takewhile(graph.results.__contains__, reversed(read)))
    places = {id: place for place, id in enumerate(read)}
    before: dict[int, list[int]] = {}
    for id in reversed([id for id in new if id not in ends]):
        users = [places[user] for user in graph.successors(id) if user not in graph.results]
        places[id] = min(users, default=tail)
        before.setdefault(places[id], []).insert(0, id)
    found = [id for id in new if id in graph.parameters]
    for place, id in enumerate(read):
        found += [*before.get(place, ()), id]
    return [*found, *before.get(len(read), ()), *(id for id in new if id in graph.results)]
