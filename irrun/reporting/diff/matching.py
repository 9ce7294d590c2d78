"""Matches the layers of two graphs: by name where the surroundings agree, then by structure."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Final

from irrun.graph.graph import PARAMETER, RESULT
from irrun.reporting.diff.side import GraphSide, unique

_ENDS: Final = frozenset({PARAMETER, RESULT})

Pairs = dict[int, int]
"""Nodes of the first graph, and those of the second that they correspond to."""


def match(a: GraphSide, b: GraphSide) -> Pairs:
    """Return the pairs of layers that correspond to each other, each layer in one pair at most.

    Names count where a layer is the same and its neighbours have the same names. Colours of what leads to a layer, and
    of what it leads to, find layers of other names; neighbours of pairs, and names alone, find layers that have
    changed. Constants are matched by the inputs that they feed.
    """
    return _Matcher(a, b).run()


class _Matcher:
    def __init__(self, a: GraphSide, b: GraphSide) -> None:
        self.a = a
        self.b = b
        self.pairs: Pairs = {}
        self.taken: set[int] = set()

    def run(self) -> Pairs:
        a, b = self.a, self.b
        self._by_name(self._is_alike)
        self._by_colour(_both(a), _both(b), a.order, _sources)
        self._by_colour(a.up, b.up, a.order, _sources)
        self._by_colour(a.down, b.down, tuple(reversed(a.order)), _consumers)
        self._spread(lambda x, y: a.own[x] == b.own[y])
        self._by_name(lambda _x, _y: True)
        self._spread(lambda x, y: a.node(x).type == b.node(y).type)
        self._spread(lambda x, y: a.node(x).name == b.node(y).name)
        self._spread(self._may_be_replaced)
        self._constants()
        return self.pairs

    def _pair(self, x: int, y: int) -> None:
        self.pairs[x] = y
        self.taken.add(y)

    def _is_free(self, x: int, y: int) -> bool:
        is_open = x not in self.pairs and y not in self.taken
        return is_open and not self.a.is_constant(x) and not self.b.is_constant(y)

    # -- names

    def _by_name(self, accepts: Callable[[int, int], bool]) -> None:
        first, second = (
            unique(((side.node(id).name, side.node(id).type), id) for id in side.order if id not in gone)
            for side, gone in ((self.a, self.pairs), (self.b, self.taken))
        )
        for key, x in first.items():
            y = second.get(key)
            if y is not None and self._is_free(x, y) and accepts(x, y):
                self._pair(x, y)

    def _is_alike(self, x: int, y: int) -> bool:
        """Return whether two layers of one name are the same, with neighbours of the same names."""
        if self.a.own[x] != self.b.own[y]:
            return False
        sources, others = _source_names(self.a, x), _source_names(self.b, y)
        if [item for item in sources if isinstance(item, int)] != [item for item in others if isinstance(item, int)]:
            return False
        return sources == others or _consumer_names(self.a, x) == _consumer_names(self.b, y)

    # -- colours

    def _by_colour(
        self,
        first: Mapping[int, Any],
        second: Mapping[int, Any],
        order: Sequence[int],
        around: Callable[[GraphSide, int, Mapping[int, int] | None], Hashable],
    ) -> None:
        """Match layers of one colour: those whose neighbours match each other before others, equal names before others.

        Where one side has more layers of a colour, only those with matching neighbours or equal names are matched.
        """
        free = [y for y in self.b.order if y not in self.taken and not self.b.is_constant(y)]
        named: dict[Any, int] = unique(((second[y], self.b.node(y).name), y) for y in free)
        placed: dict[Any, deque[int]] = {}
        coloured: dict[Any, deque[int]] = {}
        for y in free:
            placed.setdefault((second[y], around(self.b, y, None)), deque()).append(y)
            coloured.setdefault(second[y], deque()).append(y)
        open_ = [x for x in order if x not in self.pairs and not self.a.is_constant(x)]
        counts = Counter(first[x] for x in open_)
        sizes = {colour: len(found) for colour, found in coloured.items()}
        for x in open_:
            colour = first[x]
            if colour not in coloured:
                continue
            place = around(self.a, x, self.pairs)
            same: int | None = named.get((colour, self.a.node(x).name))
            same = None if same in self.taken else same
            found = same
            if same is None or around(self.b, same, None) != place:
                near = self._next(placed.get((colour, place)))
                found = near if near is not None else same
            if found is None and counts[colour] == sizes[colour]:
                found = self._next(coloured[colour])
            if found is not None:
                self._pair(x, found)

    def _next(self, waiting: deque[int] | None) -> int | None:
        while waiting:
            y = waiting.popleft()
            if y not in self.taken:
                return y
        return None

    # -- neighbours

    def _spread(self, accepts: Callable[[int, int], bool]) -> None:
        """Match the neighbours of pairs, where they are on the same ports and there is one candidate on each side."""
        waiting = deque(self.pairs.items())
        while waiting:
            x, y = waiting.popleft()
            found = [*self._before(x, y), *self._behind(x, y)]
            for s, t in found:
                if self._is_free(s, t) and accepts(s, t):
                    self._pair(s, t)
                    waiting.append((s, t))

    def _before(self, x: int, y: int) -> list[tuple[int, int]]:
        pairs = zip(self.a.sources[x], self.b.sources[y], strict=False)
        return [(s.node, t.node) for s, t in pairs if s is not None and t is not None and s.port == t.port]

    def _behind(self, x: int, y: int) -> list[tuple[int, int]]:
        first = unique(
            ((port, inlet, self.a.node(id).type), id) for port, inlet, id in self.a.consumers[x] if id not in self.pairs
        )
        second = unique(
            ((port, inlet, self.b.node(id).type), id) for port, inlet, id in self.b.consumers[y] if id not in self.taken
        )
        found = [(s, second[key]) for key, s in first.items() if key in second]
        only = [[id for _, _, id in side.consumers[end]] for side, end in ((self.a, x), (self.b, y))]
        return found or ([(only[0][0], only[1][0])] if len(only[0]) == len(only[1]) == 1 else [])

    def _may_be_replaced(self, x: int, y: int) -> bool:
        """Return whether one layer may have taken the place of another, with another operation."""
        first, second = self.a.node(x), self.b.node(y)
        return first.outputs == second.outputs and not _ENDS & {first.type, second.type}

    def _constants(self) -> None:
        """Match constants of one value by the inputs that they feed and by name, others by inputs, value or name."""
        a, b = self.a, self.b
        self._constants_before(lambda s, t: a.own[s] == b.own[t])
        self._constants_by(lambda side, id: (side.node(id).name, side.own[id]))
        self._constants_before(lambda _s, _t: True)
        self._constants_by(lambda side, id: side.own[id])
        self._constants_by(lambda side, id: side.node(id).name)

    def _constants_before(self, accepts: Callable[[int, int], bool]) -> None:
        for x, y in list(self.pairs.items()):
            for s, t in self._before(x, y):
                is_open = s not in self.pairs and t not in self.taken
                if is_open and self.a.is_constant(s) and self.b.is_constant(t) and accepts(s, t):
                    self._pair(s, t)

    def _constants_by(self, key: Callable[[GraphSide, int], Hashable]) -> None:
        waiting: dict[Hashable, deque[int]] = {}
        for y in self.b.order:
            if y not in self.taken and self.b.is_constant(y):
                waiting.setdefault(key(self.b, y), deque()).append(y)
        for x in self.a.order:
            found = waiting.get(key(self.a, x)) if x not in self.pairs and self.a.is_constant(x) else None
            if found:
                self._pair(x, found.popleft())


def _both(side: GraphSide) -> dict[int, Any]:
    return {id: (side.up[id], side.down[id]) for id in side.order}


def _sources(side: GraphSide, id: int, pairs: Mapping[int, int] | None) -> Hashable:
    """Return what feeds a layer, in terms of the nodes of the second graph; constants by their colour."""
    return tuple(
        item and ((side.own[item.node], -1) if side.is_constant(item.node) else (_there(item.node, pairs), item.port))
        for item in side.sources[id]
    )


def _consumers(side: GraphSide, id: int, pairs: Mapping[int, int] | None) -> Hashable:
    return tuple(sorted((_there(user, pairs), port, inlet) for port, inlet, user in side.consumers[id]))


def _there(id: int, pairs: Mapping[int, int] | None) -> int:
    return id if pairs is None else pairs.get(id, -1)


def _source_names(side: GraphSide, id: int) -> list[object]:
    """Return the names of what feeds a layer; of constants the colour."""
    return [
        item and (side.own[item.node] if side.is_constant(item.node) else (side.node(item.node).name, item.port))
        for item in side.sources[id]
    ]


def _consumer_names(side: GraphSide, id: int) -> list[tuple[str, int, int]]:
    return sorted((side.node(user).name, port, inlet) for port, inlet, user in side.consumers[id])
