"""A layered layout: each layer of a drawing holds nodes whose inputs are above them.

The steps are those of Sugiyama, Tagawa and Toda, "Methods for visual understanding of hierarchical system structures"
(1981): ranks by longest paths, orders by barycentres, and coordinates by least squares. The edges of one node share
their way through the ranks between, so that the work is linear in the sizes of what is drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

import networkx as nx

Size = tuple[float, float]
Point = tuple[float, float]

BETWEEN_RANKS: Final = 28.0
_BETWEEN_NODES: Final = 18.0
_BETWEEN_EDGES: Final = 10.0
_ORDERINGS: Final = 8
_PLACINGS: Final = 2
_STRAIGHTENINGS: Final = 6
_MOST_BENDS: Final = 3
"""The limit of bends for each node; the longest edges beyond it are interrupted."""

_LEAST_BENDS: Final = 2000


@dataclass(frozen=True, slots=True)
class GraphLayout:
    """Where nodes and edges are: ``places`` are the centres of nodes, ``ranks`` their ranks.

    ``trunks`` are the ways of edges through the ranks that they pass: for a source the horizontal place in each rank
    below it. An edge leaves the trunk of its source above its target. ``interrupted`` are edges that are too long to be
    drawn as a whole. ``tops`` and ``bottoms`` are the ends of the ranks. y grows downwards.
    """

    places: Mapping[int, Point]
    ranks: Mapping[int, int]
    edges: Sequence[tuple[int, int]]
    trunks: Mapping[int, Sequence[float]]
    interrupted: frozenset[tuple[int, int]]
    tops: Sequence[float]
    bottoms: Sequence[float]
    size: Size


def layered(sizes: Mapping[int, Size], edges: Iterable[tuple[int, int]]) -> GraphLayout:
    """Return the layout of nodes of some sizes; edges against the order of the nodes are interrupted."""
    order = {id: place for place, id in enumerate(sizes)}
    pairs = list(dict.fromkeys(edges))
    forward = [(a, b) for a, b in pairs if order[a] < order[b]]
    ranks = _ranks(list(sizes), forward)
    net = _Net(sizes, ranks, forward)
    net.arrange()
    centres = net.coordinates()
    return _finished(net, centres, ranks, sizes, pairs)


def _ranks(nodes: Sequence[int], edges: Sequence[tuple[int, int]]) -> dict[int, int]:
    """Return the rank of each node: below all inputs, and close to the consumers of nodes with few inputs."""
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from(edges)
    ranks: dict[int, int] = {}
    for id in nodes:
        ranks[id] = max((ranks[source] + 1 for source in graph.pred[id]), default=0)
    for id in reversed(nodes):
        if graph.out_degree(id) > graph.in_degree(id) or (graph.succ[id] and not graph.pred[id]):
            ranks[id] = max(ranks[id], min(ranks[target] for target in graph.succ[id]) - 1)
    used = {rank: place for place, rank in enumerate(sorted(set(ranks.values())))}
    return {id: used[rank] for id, rank in ranks.items()}


class _Net:
    """Nodes and bends of edges by rank; a bend is an item of no size that edges pass."""

    def __init__(self, sizes: Mapping[int, Size], ranks: Mapping[int, int], edges: Sequence[tuple[int, int]]) -> None:
        self.rank: list[int] = []
        self.half: list[float] = []
        self.bent: list[bool] = []
        self.above: list[list[int]] = []
        self.below: list[list[int]] = []
        self.items = {id: self._item(ranks[id], sizes[id][0] / 2, False) for id in sizes}
        self.chains: dict[int, dict[int, int]] = {}
        self.interrupted: set[tuple[int, int]] = set()
        self._connect(edges, ranks, len(sizes))
        self.layers: list[list[int]] = [[] for _ in range(max(self.rank, default=-1) + 1)]

    def _item(self, rank: int, half: float, bent: bool) -> int:
        self.rank.append(rank)
        self.half.append(half)
        self.bent.append(bent)
        self.above.append([])
        self.below.append([])
        return len(self.rank) - 1

    def _connect(self, edges: Sequence[tuple[int, int]], ranks: Mapping[int, int], count: int) -> None:
        left = max(_LEAST_BENDS, _MOST_BENDS * count)
        for source, target in sorted(edges, key=lambda edge: ranks[edge[1]] - ranks[edge[0]]):
            first, last = ranks[source], ranks[target]
            chain = self.chains.setdefault(source, {first: self.items[source]})
            end = max(rank for rank in chain if rank < last)
            if last - 1 - end > left:
                self.interrupted.add((source, target))
                continue
            left -= last - 1 - end
            for rank in range(end + 1, last):
                chain[rank] = self._item(rank, 0.0, True)
                self._join(chain[rank - 1], chain[rank])
            self._join(chain[last - 1], self.items[target])

    def _join(self, upper: int, lower: int) -> None:
        self.below[upper].append(lower)
        self.above[lower].append(upper)

    def arrange(self) -> None:
        """Order the items of each rank so that few edges cross."""
        self._first_order()
        place = [0.0] * len(self.rank)
        for layer in self.layers:
            _number(layer, place)
        for turn in range(_ORDERINGS):
            downwards = turn % 2 == 0
            for layer in self.layers if downwards else reversed(self.layers):
                sides = self.above if downwards else self.below
                key = {item: _mean([place[other] for other in sides[item]], place[item]) for item in layer}
                layer.sort(key=key.__getitem__)
                _number(layer, place)

    def _first_order(self) -> None:
        """Append the items to their ranks in the order of a search, so that chains begin side by side."""
        seen = [False] * len(self.rank)
        for start in range(len(self.rank)):
            waiting = [start] if not self.above[start] else []
            while waiting:
                item = waiting.pop()
                if not seen[item]:
                    seen[item] = True
                    self.layers[self.rank[item]].append(item)
                    waiting += [other for other in reversed(self.below[item]) if not seen[other]]

    def coordinates(self) -> list[float]:
        """Return the horizontal centre of each item: near those of its neighbours, in order and without overlap.

        The mean of a placement from the top and one from the bottom does not lean to one side, as each of them may.
        """
        gaps = [self._offsets(layer) for layer in self.layers]
        first = [0.0] * len(self.rank)
        for layer, offsets in zip(self.layers, gaps, strict=True):
            for item, offset in zip(layer, offsets, strict=True):
                first[item] = offset - offsets[-1] / 2
        down, up = list(first), list(first)
        for _ in range(_PLACINGS):
            self._place(down, gaps, (self.above,), upwards=False)
            self._place(up, gaps, (self.below,), upwards=True)
        centre = [(a + b) / 2 for a, b in zip(down, up, strict=True)]
        for turn in range(_STRAIGHTENINGS):
            self._place(centre, gaps, (self.above, self.below), upwards=turn % 2 == 0)
        return centre

    def _place(
        self,
        centre: list[float],
        gaps: Sequence[Sequence[float]],
        sides: Sequence[Sequence[Sequence[int]]],
        *,
        upwards: bool,
    ) -> None:
        """Move the items of each rank towards their neighbours on some sides."""
        pairs = list(zip(self.layers, gaps, strict=True))
        for layer, offsets in reversed(pairs) if upwards else pairs:
            around = [[other for side in sides for other in side[item]] for item in layer]
            wanted = [self._wanted(item, others, centre) for item, others in zip(layer, around, strict=True)]
            weights = [
                8.0 if self.bent[item] else 1.0 + len(others) for item, others in zip(layer, around, strict=True)
            ]
            for item, x in zip(layer, _separated(wanted, weights, offsets), strict=True):
                centre[item] = x

    def _wanted(self, item: int, others: Sequence[int], centre: Sequence[float]) -> float:
        """Return the mean centre of the neighbours; bends that continue a bend count more."""
        total = weight = 0.0
        for other in others:
            share = (
                24.0 if self.bent[item] and self.bent[other] else 2.0 if self.bent[item] or self.bent[other] else 4.0
            )
            total += share * centre[other]
            weight += share
        return total / weight if weight else centre[item]

    def _offsets(self, layer: Sequence[int]) -> list[float]:
        """Return the least distance of each item of a rank from the first one."""
        found: list[float] = []
        for place, item in enumerate(layer):
            if place == 0:
                found.append(0.0)
                continue
            before = layer[place - 1]
            gap = _BETWEEN_EDGES if self.bent[item] or self.bent[before] else _BETWEEN_NODES
            found.append(found[-1] + self.half[before] + gap + self.half[item])
        return found


def _separated(wanted: Sequence[float], weights: Sequence[float], offsets: Sequence[float]) -> list[float]:
    """Return the places nearest to the wanted ones, by least squares, in order and as far apart as ``offsets``.

    Pooling adjacent violators: neighbours that would be too close move together.
    """
    blocks: list[tuple[float, float, int]] = []
    for want, weight, offset in zip(wanted, weights, offsets, strict=True):
        value, total, count = want - offset, weight, 1
        while blocks and blocks[-1][0] > value:
            before, mass, size = blocks.pop()
            value = (before * mass + value * total) / (mass + total)
            total, count = total + mass, count + size
        blocks.append((value, total, count))
    values = [value for value, _, count in blocks for _ in range(count)]
    return [value + offset for value, offset in zip(values, offsets, strict=True)]


def _finished(
    net: _Net,
    centres: Sequence[float],
    ranks: Mapping[int, int],
    sizes: Mapping[int, Size],
    pairs: Sequence[tuple[int, int]],
) -> GraphLayout:
    heights = [0.0] * len(net.layers)
    for id, rank in ranks.items():
        heights[rank] = max(heights[rank], sizes[id][1])
    steps = (height + BETWEEN_RANKS for height in heights[:-1])
    tops = list(accumulate(steps, initial=0.0)) if heights else []
    bottoms = [top + height for top, height in zip(tops, heights, strict=True)]
    left = min((centre - half for centre, half in zip(centres, net.half, strict=True)), default=0.0)
    right = max((centre + half for centre, half in zip(centres, net.half, strict=True)), default=0.0)
    places = {id: (centres[item] - left, (tops[ranks[id]] + bottoms[ranks[id]]) / 2) for id, item in net.items.items()}
    drawn = [
        (source, target)
        for source, target in pairs
        if source in net.chains and ranks[source] < ranks[target] and (source, target) not in net.interrupted
    ]
    trunks = {
        source: [centres[item] - left for item in list(chain.values())[1:]]
        for source, chain in net.chains.items()
        if len(chain) > 1
    }
    interrupted = frozenset(pairs) - frozenset(drawn)
    size = (right - left, bottoms[-1] if bottoms else 0.0)
    return GraphLayout(places, ranks, drawn, trunks, interrupted, tops, bottoms, size)


def _number(layer: Sequence[int], place: list[float]) -> None:
    """Store the places of items in their rank, from -0.5 to 0.5 so that ranks of all lengths compare."""
    count = len(layer)
    for index, item in enumerate(layer):
        place[item] = index - (count - 1) / 2


def _mean(values: Sequence[float], default: float) -> float:
    return sum(values) / len(values) if values else default
