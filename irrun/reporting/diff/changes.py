"""The changes that lead from one model to another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Final, TypedDict

import numpy as np

from irrun.graph import Node, Outlet
from irrun.graph.graph import RESULT
from irrun.model import Loaded
from irrun.reporting.diff.matching import Pairs, match
from irrun.reporting.diff.side import Colours, Side

KINDS: Final = (
    *("added", "removed", "renamed", "operation", "attribute", "shape", "type", "constant", "edge", "info"),
)
"""The kinds of changes, in the order in which they are listed; ``info`` is runtime information."""

_RELEASES: Final = frozenset({"OpenVINO Runtime", "Runtime_version"})


@dataclass(frozen=True, slots=True)
class Change:
    """A change of one layer.

    ``layer`` is its name in the first model, ``other`` in the second one, each after the names of the layers in whose
    bodies it is; empty where the model does not have it, and for the model itself. ``what`` says what has changed: an
    attribute, an input, an output. ``follows`` is true for a change of a shape, type or edge that another change leads
    to.
    """

    kind: Annotated[str, {"enum": KINDS}]
    type: str
    layer: str
    other: str
    what: str = ""
    before: str = ""
    after: str = ""
    follows: bool = False


class DifferenceRecord(TypedDict):
    """All changes; ``layers`` are the numbers of layers, ``counts`` those of changes by kind."""

    equal: bool
    layers: list[int]
    counts: Annotated[dict[str, int], {"propertyNames": {"enum": KINDS}}]
    reordered: list[Annotated[str, {"enum": ["inputs", "outputs"]}]]
    constants_unread: bool
    changes: list[Annotated[dict[str, Any], Change]]


@dataclass(frozen=True, slots=True)
class Difference:
    """All changes between two models, and ``pairs`` of layers that correspond to each other, by name.

    ``reordered`` are the ends, ``inputs`` or ``outputs``, that are in another order, which is not a change.
    ``unread`` is true where values of constants are not known, which then count as equal.
    """

    changes: tuple[Change, ...]
    pairs: tuple[tuple[str, str], ...]
    layers: tuple[int, int]
    reordered: tuple[str, ...] = ()
    unread: bool = False

    @property
    def is_equal(self) -> bool:
        return not self.changes

    @property
    def counts(self) -> dict[str, int]:
        """The number of changes of each kind, without those that follow from others."""
        found = Counter(change.kind for change in self.changes if not change.follows)
        return {kind: found[kind] for kind in KINDS if found[kind]}

    def as_dict(self) -> DifferenceRecord:
        """Return the difference as JSON-ready values, without the pairs."""
        return {
            "equal": self.is_equal,
            "layers": list(self.layers),
            "counts": self.counts,
            "reordered": list(self.reordered),
            "constants_unread": self.unread,
            "changes": [asdict(change) for change in self.changes],
        }


def diff(a: Loaded, b: Loaded, *, names: bool = True) -> Difference:
    """Return the structural difference of two models, including their bodies.

    Ids and the order of layers do not count, nor do names where ``names`` is false. Layers are compared in what they
    compute: attributes as read, constants by their bytes.
    """
    colours: Colours = {}
    comparison = _Comparison(names)
    sides = [Side(model.graph, model.facts, model.weights, colours) for model in (a, b)]
    pairs = comparison.graphs(sides[0], sides[1], "", "")
    ends = (("inputs", a.graph.parameters, b.graph.parameters), ("outputs", a.graph.results, b.graph.results))
    reordered = [word for word, first, second in ends if _is_reordered(first, second, pairs)]
    comparison.changes += _notes(a, b)
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

    def graphs(self, a: Side, b: Side, path: str, other: str) -> Pairs:
        """Compare two graphs; ``path`` and ``other`` precede the names of their layers."""
        pairs = match(a, b)
        back = {y: x for x, y in pairs.items()}
        for x in a.order:
            if x not in pairs and not _is_replaced(a, x, pairs):
                self.changes.append(Change("removed", a.node(x).type, path + a.node(x).name, ""))
        for y in b.order:
            if y not in back and not _is_replaced(b, y, back):
                self.changes.append(Change("added", b.node(y).type, "", other + b.node(y).name))
        changed: set[int] = set()
        for x in a.order:
            if x not in pairs:
                continue
            y = pairs[x]
            place = (a.node(x).type, path + a.node(x).name, other + b.node(y).name)
            self.pairs.append((place[1], place[2]))
            self.changes += self._node(a, x, b, y, place)
            if not a.is_constant(x):
                self.changes += _edges(a, x, b, y, place, pairs, back)
                self.changes += _outputs(a, x, b, y, place, changed)
            for tag in a.node(x).bodies:
                if tag in b.node(y).bodies:
                    self.graphs(a.body(x, tag), b.body(y, tag), f"{place[1]}/", f"{place[2]}/")
        return pairs

    def _node(self, a: Side, x: int, b: Side, y: int, place: tuple[str, str, str]) -> Iterator[Change]:
        first, second = a.node(x), b.node(y)
        is_constant = a.is_constant(x) and b.is_constant(y)
        if self._names and not is_constant:
            if first.name != second.name:
                yield Change("renamed", *place, "layer", first.name, second.name)
            names = [[",".join(sorted(names)) for names in node.names] for node in (first, second)]
            for port, (before, after) in enumerate(zip(*names, strict=False)):
                if before != after:
                    yield Change("renamed", *place, f"tensor names of output {port}", before, after)
            own = [",".join(sorted(_output_names(*item))) for item in ((a, x), (b, y))]
            if own[0] != own[1] and (first.output_names or second.output_names):
                yield Change("renamed", *place, "output names", own[0], own[1])
        yield from _info(first, second, place)
        if is_constant:
            yield from self._constant(a, x, b, y, place)
            return
        kinds = [f"{node.type}-{getattr(node.op, 'opset', node.version)}" for node in (first, second)]
        if kinds[0].lower() != kinds[1].lower():
            yield Change("operation", *place, "operation", kinds[0], kinds[1])
            return
        yield from _attributes(a, x, b, y, place)
        if first.bodies.keys() != second.bodies.keys():
            yield Change("attribute", *place, "bodies", ", ".join(first.bodies), ", ".join(second.bodies))
        if a.role(x) != b.role(y):
            yield Change("attribute", *place, "port map", a.role(x), b.role(y))

    def _constant(self, a: Side, x: int, b: Side, y: int, place: tuple[str, str, str]) -> Iterator[Change]:
        if a.own[x] == b.own[y]:
            self.unread = self.unread or a.content(x) is None
            return
        ops: list[Any] = [a.node(x).op, b.node(y).op]
        types, shapes = [str(op.element_type) for op in ops], [str(op.shape) for op in ops]
        if types[0] != types[1]:
            yield Change("type", *place, "value", types[0], types[1])
        if shapes[0] != shapes[1]:
            yield Change("shape", *place, "value", shapes[0], shapes[1])
        if None in (a.content(x), b.content(y)):
            self.unread = True
        elif types[0] == types[1] and shapes[0] == shapes[1]:
            yield Change("constant", *place, *_values(a, x, b, y))


def _info(first: Node, second: Node, place: tuple[str, str, str]) -> Iterator[Change]:
    """Yield the changes of runtime information, that of the layer and those of its ports."""
    if first.info == second.info:
        return
    before, after = first.info.texts(), second.info.texts()
    for where, name in dict.fromkeys((*before, *after)):
        texts = [side.get((where, name)) for side in (before, after)]
        if texts[0] != texts[1]:
            what = name if where == "layer" else f"{name} of {where}"
            yield Change("info", *place, what, _info_text(texts[0]), _info_text(texts[1]))


def _info_text(text: str | None) -> str:
    return "" if text is None else text or "set"


def _output_names(side: Side, id: int) -> tuple[str, ...]:
    """Return the names of the output that a Result is; none for other nodes."""
    node, source = side.node(id), next(iter(side.sources[id]), None)
    if node.type != RESULT or node.output_names or source is None:
        return node.output_names
    names = side.node(source.node).names
    return names[source.port] if source.port < len(names) else ()


def _notes(a: Loaded, b: Loaded) -> Iterator[Change]:
    """Yield the changes of the notes on two models, without the release of OpenVINO that wrote them."""
    before, after = (dict(_flat(model.notes)) for model in (a, b))
    for name in dict.fromkeys((*before, *after)):
        texts = before.get(name), after.get(name)
        if texts[0] != texts[1] and name not in _RELEASES:
            yield Change("info", "model", "", "", name, _info_text(texts[0]), _info_text(texts[1]))


def _flat(notes: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
    for name, value in notes.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{path}{name}/")
        else:
            yield path + name, str(value)


def _is_replaced(side: Side, id: int, pairs: Pairs) -> bool:
    """Return whether a constant without a counterpart feeds only layers that have one, which are compared instead."""
    return side.is_constant(id) and all(user in pairs for _, _, user in side.consumers[id])


def _attributes(a: Side, x: int, b: Side, y: int, place: tuple[str, str, str]) -> Iterator[Change]:
    first, second = a.attributes(a.node(x)), b.attributes(b.node(y))
    for name in dict.fromkeys((*first, *second)):
        before, after = first.get(name, ""), second.get(name, "")
        if before != after:
            is_type = a.node(x).type == "Parameter" and name == "element_type"
            is_shape = a.node(x).type == "Parameter" and name == "shape"
            if not is_type and not is_shape:
                yield Change("attribute", *place, name, before, after)


def _edges(
    a: Side, x: int, b: Side, y: int, place: tuple[str, str, str], pairs: Pairs, back: Pairs
) -> Iterator[Change]:
    first, second = a.sources[x], b.sources[y]
    count = max(len(first), len(second))
    for port in range(count):
        s = first[port] if port < len(first) else None
        t = second[port] if port < len(second) else None
        if s is None and t is None:
            continue
        if s is not None and t is not None:
            if pairs.get(s.node) == t.node and s.port == t.port:
                continue
            if a.is_constant(s.node) and b.is_constant(t.node) and a.own[s.node] == b.own[t.node]:
                continue
        follows = (s is not None and s.node not in pairs) or (t is not None and t.node not in back)
        yield Change("edge", *place, f"input {port}", _outlet(a, s), _outlet(b, t), follows)


def _outlet(side: Side, outlet: Outlet | None) -> str:
    if outlet is None:
        return "none"
    node = side.node(outlet.node)
    return node.name if node.outputs == 1 else f"{node.name}:{outlet.port}"


def _outputs(a: Side, x: int, b: Side, y: int, place: tuple[str, str, str], changed: set[int]) -> Iterator[Change]:
    """Yield the changes of types and shapes of outputs; they follow where those of an input have changed as well."""
    follows = any(source is not None and source.node in changed for source in a.sources[x])
    for port in range(min(a.node(x).outputs, b.node(y).outputs)):
        first, second = a.fact_text(Outlet(x, port)), b.fact_text(Outlet(y, port))
        if first is None or second is None or first == second:
            continue
        changed.add(x)
        for kind, before, after in zip(("type", "shape"), first, second, strict=True):
            if before != after:
                yield Change(kind, *place, f"output {port}", before, after, follows)


def _values(a: Side, x: int, b: Side, y: int) -> tuple[str, str, str]:
    """Return how many values of two constants differ, and the first that does on each side."""
    facts = [None if side.facts is None else side.facts.get(Outlet(id, 0)) for side, id in ((a, x), (b, y))]
    first, second = (None if fact is None else fact.constant for fact in facts)
    if first is None or second is None:
        return "values", "", ""
    with np.errstate(all="ignore"):
        different = (first != second) & ~((first != first) & (second != second))
    places = np.flatnonzero(different)
    if not places.size:
        return "bytes", "", ""
    values = [array.reshape(-1)[places[0]] for array in (first, second)]
    what = "value" if first.size == 1 else f"{places.size:,} of {first.size:,} values, the first"
    return what, _value_text(values[0]), _value_text(values[1])


def _value_text(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float | np.floating) else str(value)
