"""Differences of two layers that correspond to each other, apart from what surrounds them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from irrun.diagnostics import OpError
from irrun.document.records import PortElement, dims_text, element_type
from irrun.graph import Node, Outlet
from irrun.graph.graph import PARAMETER, RESULT
from irrun.ops._declared.infrastructure.const import Const
from irrun.ops.attributes import AttrSpec
from irrun.ops.extension import Extension
from irrun.reporting.diff.changes import Change
from irrun.reporting.diff.side import GraphSide
from irrun.tensor import Fact

Place = tuple[str, str, str]
"""The type of a layer, and its names on both sides."""


class LayerPair:
    """A layer of one graph, and that of another which corresponds to it; names follow ``path`` and ``other``."""

    def __init__(self, a: GraphSide, x: int, b: GraphSide, y: int, path: str, other: str) -> None:
        self.a: GraphSide = a
        self.x: int = x
        self.b: GraphSide = b
        self.y: int = y
        self.first: Node = a.node(x)
        self.second: Node = b.node(y)
        self.place: Place = (self.first.type, path + self.first.name, other + self.second.name)

    @property
    def ends(self) -> tuple[tuple[GraphSide, Node], tuple[GraphSide, Node]]:
        return (self.a, self.first), (self.b, self.second)

    @property
    def is_constant(self) -> bool:
        return self.a.is_constant(self.x) and self.b.is_constant(self.y)


def described(pair: LayerPair, names: bool) -> Iterator[Change]:
    """Yield the changes of names, runtime information, attributes without effect, and declared ports."""
    if names:
        yield from _names(pair)
    yield from _info(pair)
    before, after = (_unread_attributes(node) | _storage(side, node) for side, node in pair.ends)
    for name in dict.fromkeys((*before, *after)):
        if before.get(name) != after.get(name):
            yield Change("attribute", *pair.place, name, before.get(name, ""), after.get(name, ""))
    yield from _declared(pair)


def operations(pair: LayerPair) -> Iterator[Change]:
    """Yield the changes of what a layer computes: its operation, attributes, bodies, port map and number of outputs."""
    first, second = pair.first, pair.second
    kinds = [f"{node.type}-{_version(node)}" for node in (first, second)]
    if kinds[0].lower() != kinds[1].lower():
        yield Change("operation", *pair.place, "operation", kinds[0], kinds[1])
        return
    yield from _attributes(pair)
    if first.bodies.keys() != second.bodies.keys():
        yield Change("attribute", *pair.place, "bodies", ", ".join(first.bodies), ", ".join(second.bodies))
    roles = pair.a.role(pair.x), pair.b.role(pair.y)
    if roles[0] != roles[1]:
        yield Change("attribute", *pair.place, "port map", *roles)
    if first.outputs != second.outputs:
        yield Change("attribute", *pair.place, "outputs", str(first.outputs), str(second.outputs))


def constants(pair: LayerPair) -> tuple[list[Change], bool]:
    """Return the changes of a constant, and whether its values are not known on a side."""
    a, x, b, y = pair.a, pair.x, pair.b, pair.y
    is_unread = None in (a.content(x), b.content(y))
    if a.own[x] == b.own[y]:
        return [], is_unread
    ops: list[Any] = [pair.first.op, pair.second.op]
    types, shapes = [str(op.element_type) for op in ops], [str(op.shape) for op in ops]
    found = [
        Change(kind, *pair.place, "value", before, after)
        for kind, (before, after) in (("type", types), ("shape", shapes))
        if before != after
    ]
    if not is_unread and not found:
        found = [Change("constant", *pair.place, *_values(pair))]
    return found, is_unread


def info_text(text: str | None) -> str:
    """Return the text of an entry of runtime information; "" where there is no entry."""
    return "" if text is None else text or "set"


# -- what the file says


def _names(pair: LayerPair) -> Iterator[Change]:
    first, second = pair.first, pair.second
    if first.name != second.name:
        yield Change("renamed", *pair.place, "layer", first.name, second.name)
    names = [[",".join(sorted(names)) for names in node.names] for node in (first, second)]
    for port, (before, after) in enumerate(zip_longest(*names, fillvalue="")):
        if before != after:
            yield Change("renamed", *pair.place, f"tensor names of output {port}", before, after)
    own = [",".join(sorted(_output_names(side, node))) for side, node in pair.ends]
    if own[0] != own[1] and (first.output_names or second.output_names):
        yield Change("renamed", *pair.place, "output names", own[0], own[1])


def _output_names(side: GraphSide, node: Node) -> tuple[str, ...]:
    """Return the names of the output that a Result is; none for other nodes."""
    source = next(iter(side.sources[node.id]), None)
    if node.type != RESULT or node.output_names or source is None:
        return node.output_names
    names = side.node(source.node).names
    return names[source.port] if source.port < len(names) else ()


def _info(pair: LayerPair) -> Iterator[Change]:
    """Yield the changes of runtime information, that of the layer and those of its ports."""
    first, second = pair.first, pair.second
    if first.info == second.info:
        return
    before, after = first.info.texts(), second.info.texts()
    for where, name in dict.fromkeys((*before, *after)):
        texts = [side.get((where, name)) for side in (before, after)]
        if texts[0] != texts[1]:
            what = name if where == "layer" else f"{name} of {where}"
            yield Change("info", *pair.place, what, info_text(texts[0]), info_text(texts[1]))


def _unread_attributes(node: Node) -> dict[str, str]:
    """Return the attributes of a layer that its operation does not have, or cannot read."""
    if node.layer is None or node.op is None or isinstance(node.op, Extension):
        return {}
    known = {item.name: item for item in node.op.spec.attributes}
    return {name: text for name, text in node.layer.data.items() if not _is_read(known.get(name), text)}


def _is_read(spec: AttrSpec | None, text: str) -> bool:
    try:
        return spec is not None and spec.parse(text) is not None
    except OpError:
        return False


def _storage(side: GraphSide, node: Node) -> dict[str, str]:
    """Return the place of a constant in the weights file where it is wrong: too long, or beyond the end."""
    op = node.op
    if not isinstance(op, Const) or node.layer is None or hasattr(op, "fact"):
        return {}
    found = {"size": str(op.size)} if op.size != op.needed else {}
    return found | ({"offset": str(op.offset)} if side.weights.exists and side.content(node.id) is None else {})


def _declared(pair: LayerPair) -> Iterator[Change]:
    """Yield the changes of declared types and shapes of ports, where they are not the inferred ones."""
    for word in ("input", "output"):
        for port, ends in enumerate(zip_longest(*(_ports(*end, word) for end in pair.ends))):
            declared = [_of_port(end) for end in ends]
            for place, kind in enumerate(("type", "shape")):
                (before, known), (after, made) = declared[0][place], declared[1][place]
                is_as_inferred = before in ("", known) and after in ("", made)
                if before != after and not is_as_inferred:
                    what = f"declared {word} {port}"
                    yield Change(kind, *pair.place, what, before or known or "", after or made or "")


def _ports(side: GraphSide, node: Node, word: str) -> list[tuple[PortElement, Fact | None]]:
    if node.layer is None:
        return []
    outlets: Sequence[Outlet | None] = side.sources[node.id]
    ports = node.layer.inputs
    if word == "output":
        ports = node.layer.outputs
        outlets = [Outlet(node.id, port) for port in range(len(ports))]
    return [(port, side.fact(outlet)) for port, outlet in zip(ports, outlets, strict=False)]


def _of_port(end: tuple[PortElement, Fact | None] | None) -> tuple[tuple[str, str | None], tuple[str, str | None]]:
    """Return the type and the shape that a port declares, each with the inferred one; None where it is not known."""
    if end is None:
        return ("", None), ("", None)
    port, fact = end
    kind = element_type(port.precision)
    type = (port.precision or "") if kind is None else kind.name
    if fact is None:
        return (type, None), (dims_text(port.dims), None)
    sizes = fact.shape.dims or ()
    shape = f"[{','.join(str(dim.lo) if dim.is_static else '?' for dim in sizes)}]"
    return (type, fact.type.name), (dims_text(port.dims), shape)


# -- what it computes


def _version(node: Node) -> object:
    return node.version.removeprefix("opset") if node.op is None else node.op.opset


def _attributes(pair: LayerPair) -> Iterator[Change]:
    first, second = pair.a.attributes(pair.first), pair.b.attributes(pair.second)
    if (pair.first.op is None) != (pair.second.op is None):
        first, second = (dict(node.layer.data) if node.layer is not None else {} for _, node in pair.ends)
    shown = _of_parameter(pair)
    for name in dict.fromkeys((*first, *second)):
        before, after = first.get(name, ""), second.get(name, "")
        if before != after and name not in shown:
            yield Change("attribute", *pair.place, name, before, after)


def _of_parameter(pair: LayerPair) -> set[str]:
    """Return the attributes of a Parameter whose changes are those of its output."""
    first, second = (side.fact_text(Outlet(node.id, 0)) for side, node in pair.ends)
    if pair.first.type != PARAMETER or first is None or second is None:
        return set()
    names = zip(("element_type", "shape"), first, second, strict=True)
    return {name for name, before, after in names if before != after}


def _values(pair: LayerPair) -> tuple[str, str, str]:
    """Return how many values of two constants differ, and the first that does on each side."""
    facts = [side.fact(Outlet(node.id, 0)) for side, node in pair.ends]
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
