"""The comparison of two models: layers that correspond to each other, and what is different about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from irrun.graph import Outlet
from irrun.graph.pre_process import Mean
from irrun.model import Loaded
from irrun.reporting.diff.changes import KINDS, Change, Difference
from irrun.reporting.diff.layers import LayerPair, constants, described, info_text, operations
from irrun.reporting.diff.matching import Pairs, match
from irrun.reporting.diff.side import Colours, GraphSide

_RELEASES: Final = frozenset({"OpenVINO Runtime", "Runtime_version"})
_CAUSES: Final = frozenset({"operation", "attribute", "edge"})
"""Changes of a layer that may lead to other types and shapes of its outputs."""


def diff(a: Loaded, b: Loaded, *, names: bool = True) -> Difference:
    """Return the structural difference of two models, including their bodies.

    Ids and the order of layers do not count, nor do names where ``names`` is false. Layers are compared in what they
    compute, attributes as read and constants by their bytes, and in what the file says of them otherwise: attributes
    that the operation does not have, and types and shapes of ports that are not the inferred ones.
    """
    colours: Colours = {}
    comparison = _Comparison(names)
    sides = [GraphSide(model.graph, model.facts, model.weights, colours) for model in (a, b)]
    pairs = comparison.graphs(sides[0], sides[1], "", "", follows=False)
    ends = (("inputs", a.graph.parameters, b.graph.parameters), ("outputs", a.graph.results, b.graph.results))
    reordered = [word for word, first, second in ends if _is_reordered(first, second, pairs)]
    comparison.changes += _of_models(a, b, pairs, names)
    found = sorted(comparison.changes, key=lambda change: KINDS.index(change.kind))
    layers = sum(1 for _ in a.graph.walk()), sum(1 for _ in b.graph.walk())
    return Difference(tuple(found), tuple(comparison.pairs), layers, tuple(reordered), comparison.unread)


def _is_reordered(first: tuple[int, ...], second: tuple[int, ...], pairs: Pairs) -> bool:
    places = {id: place for place, id in enumerate(second)}
    found = [places[pairs[id]] for id in first if pairs.get(id) in places]
    return found != sorted(found)


class _Comparison:
    def __init__(self, names: bool) -> None:
        self.changes: list[Change] = []
        self.pairs: list[tuple[str, str]] = []
        self.unread = False
        self._names = names

    def graphs(self, a: GraphSide, b: GraphSide, path: str, other: str, *, follows: bool) -> Pairs:
        """Compare two graphs; ``path`` and ``other`` precede the names of their layers.

        ``follows`` is true for a body whose layer has changed, from which other Parameters follow.
        """
        first = len(self.changes)
        pairs = match(a, b)
        back = {y: x for x, y in pairs.items()}
        for x in a.order:
            if x not in pairs:
                self.changes.append(Change("removed", a.node(x).type, path + a.node(x).name, ""))
        for y in b.order:
            if y not in back:
                self.changes.append(Change("added", b.node(y).type, "", other + b.node(y).name))
        changed: set[int] = set()
        for x in a.order:
            if x not in pairs:
                continue
            pair = LayerPair(a, x, b, pairs[x], path, other)
            self.pairs.append((pair.place[1], pair.place[2]))
            self.changes += described(pair, self._names)
            if pair.is_constant:
                found, is_unread = constants(pair)
                self.unread = self.unread or is_unread
                self.changes += found
                if found:
                    changed.add(x)
                continue
            self._layer(pair, pairs, back, changed, follows=follows)
        if path:
            self.changes[first:] = _with_ends(self.changes[first:])
        return pairs

    def _layer(self, pair: LayerPair, pairs: Pairs, back: Pairs, changed: set[int], *, follows: bool) -> None:
        """Compare what a layer computes from, and its bodies, then the types and shapes that may follow from these."""
        a, x, b, y = pair.a, pair.x, pair.b, pair.y
        before = len(self.changes)
        self.changes += operations(pair)
        self.changes += _edges(pair, pairs, back)
        is_changed = any(change.kind in _CAUSES for change in self.changes[before:])
        is_fed_otherwise = any(source is not None and source.node in changed for source in a.sources[x])
        is_inner_end = follows and pair.a.node(x).type == "Parameter"
        before = len(self.changes)
        for tag in a.node(x).bodies:
            if tag in b.node(y).bodies:
                bodies = a.body(x, tag), b.body(y, tag), f"{pair.place[1]}/", f"{pair.place[2]}/"
                self.graphs(*bodies, follows=is_changed or is_fed_otherwise)
        is_caused = is_changed or is_fed_otherwise or is_inner_end or len(self.changes) > before
        outputs = list(_outputs(pair, is_caused))
        self.changes += outputs
        if outputs:
            changed.add(x)


def _with_ends(changes: list[Change]) -> list[Change]:
    """Return the changes of a body: other outputs of its Parameters follow from other changes of what is fed back."""
    ends = [item.type == "Parameter" and item.kind in ("type", "shape") and item.what == "output 0" for item in changes]
    if not any(not is_end and not item.follows for is_end, item in zip(ends, changes, strict=True)):
        return changes
    return [replace(item, follows=item.follows or is_end) for is_end, item in zip(ends, changes, strict=True)]


def _edges(pair: LayerPair, pairs: Pairs, back: Pairs) -> Iterator[Change]:
    """Yield the inputs that are fed otherwise; they follow where what feeds them was added or removed."""
    a, b = pair.a, pair.b
    first, second = a.sources[pair.x], b.sources[pair.y]
    for port in range(max(len(first), len(second))):
        s = first[port] if port < len(first) else None
        t = second[port] if port < len(second) else None
        follows = (s is not None and s.node not in pairs) or (t is not None and t.node not in back)
        if s is None and t is None:
            continue
        if s is not None and t is not None:
            if pairs.get(s.node) == t.node and s.port == t.port:
                continue
            is_copy = a.is_constant(s.node) and b.is_constant(t.node) and a.own[s.node] == b.own[t.node]
            if follows and is_copy:
                continue
        yield Change("edge", *pair.place, f"input {port}", _outlet(a, s), _outlet(b, t), follows)
    if len(first) != len(second) and not any((*first[len(second) :], *second[len(first) :])):
        yield Change("edge", *pair.place, "inputs", str(len(first)), str(len(second)))


def _outlet(side: GraphSide, outlet: Outlet | None) -> str:
    if outlet is None:
        return "none"
    node = side.node(outlet.node)
    return node.name if node.outputs == 1 else f"{node.name}:{outlet.port}"


def _outputs(pair: LayerPair, follows: bool) -> Iterator[Change]:
    """Yield the changes of types and shapes of outputs."""
    a, b = pair.a, pair.b
    for port in range(min(a.node(pair.x).outputs, b.node(pair.y).outputs)):
        first, second = a.fact_text(Outlet(pair.x, port)), b.fact_text(Outlet(pair.y, port))
        if first is None or second is None or first == second:
            continue
        for kind, before, after in zip(("type", "shape"), first, second, strict=True):
            if before != after:
                yield Change(kind, *pair.place, f"output {port}", before, after, follows)


def _of_models(a: Loaded, b: Loaded, pairs: Pairs, names: bool) -> Iterator[Change]:
    """Yield the changes of two models as a whole, and of their notes but for the release of OpenVINO."""
    if names and a.friendly_name != b.friendly_name:
        yield Change("renamed", "model", "", "", "name", a.friendly_name, b.friendly_name)
    if None not in (a.version, b.version) and a.version != b.version:
        yield Change("attribute", "model", "", "", "IR version", str(a.version), str(b.version))
    means = a.bound.means or {}, b.bound.means or {}
    for x, y in pairs.items():
        first, second = means[0].get(x), means[1].get(y)
        if first != second and not _is_same_mean(first, a, second, b):
            place = ("Parameter", a.graph.node(x).name, b.graph.node(y).name)
            yield Change("attribute", *place, "mean", _mean(first), _mean(second))
    before, after = (dict(_flat(model.notes)) for model in (a, b))
    for name in dict.fromkeys((*before, *after)):
        texts = before.get(name), after.get(name)
        if texts[0] != texts[1] and name not in _RELEASES:
            yield Change("info", "model", "", "", name, info_text(texts[0]), info_text(texts[1]))


def _is_same_mean(first: Mean | None, a: Loaded, second: Mean | None, b: Loaded) -> bool:
    values = [None if mean is None else mean.values(model.weights) for mean, model in ((first, a), (second, b))]
    return values[0] is not None and values[1] is not None and np.array_equal(values[0], values[1])


def _mean(mean: Mean | None) -> str:
    return "" if mean is None else ", ".join(f"{number:g}" for number in mean.numbers) or "an image"


def _flat(notes: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
    for name, value in notes.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{path}{name}/")
        else:
            yield path + name, str(value)
