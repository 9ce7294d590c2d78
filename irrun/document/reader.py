"""bytes -> Document: reads the elements of an IR and refuses what no IR holds."""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from irrun.diagnostics import Anchor, Diagnostic, IRError, LayerRef, Severity, near_match
from irrun.document.encoding import decode
from irrun.document.parse import parse, refusal
from irrun.document.records import (
    BackEdgeElement,
    BodyElement,
    EdgeElement,
    LayerElement,
    MapElement,
    NetElement,
    PortElement,
)
from irrun.document.repair import Mended
from irrun.document.source_map import SourceMap
from irrun.document.weights import Weights
from irrun.tensor import ElementType
from irrun.tensor.element_type import BY_NAME, BY_PRECISION

MOST_BYTES: Final = 1 << 30
MOST_DIMS: Final = 64
DEEPEST_BODY: Final = 32
VERSIONS: Final = ("10", "11")

_MAPS: Final = {"body": "port_map", "then_body": "then_port_map", "else_body": "else_port_map"}
_ONCE: Final = frozenset({"layers", "edges", "data", "input", "output", "back_edges", *_MAPS, *_MAPS.values()})
_CHILDREN: Final[dict[str, frozenset[str]]] = {
    "net": frozenset(
        {"layers", "edges", "rt_info", "meta_data", "statistics", "pre-process", "quantization_parameters"}
    ),
    "layers": frozenset({"layer"}),
    "edges": frozenset({"edge"}),
    "layer": frozenset({"data", "input", "output", "rt_info", "back_edges", *_MAPS, *_MAPS.values()}),
    "input": frozenset({"port"}),
    "output": frozenset({"port"}),
    "port": frozenset({"dim", "rt_info"}),
    "dim": frozenset(),
    "port_map": frozenset({"input", "output"}),
    "back_edges": frozenset({"edge"}),
}
_ATTRIBUTES: Final[dict[str, tuple[str, ...]]] = {
    "net": ("name", "version"),
    "layer": ("id", "name", "type", "version", "output_names"),
    "port": ("id", "precision", "names"),
    "edge": ("from-layer", "from-port", "to-layer", "to-port"),
    "map": ("external_port_id", "internal_layer_id", "axis", "start", "end", "stride", "part_size", "purpose"),
    "back": ("from-layer", "to-layer"),
}
_SIZE: Final = re.compile(r"-1|[0-9]{1,18}")
_ID: Final = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True)
class Document:
    """An IR file as written. A ``fragment`` is a file whose root is a bare ``<layer>``, or several.

    ``data`` is the file in UTF-8, whatever encoding it is in.
    """

    path: Path | None
    data: bytes
    mended: Mended
    net: NetElement
    weights: Weights
    diagnostics: tuple[Diagnostic, ...]

    @property
    def fragment(self) -> bool:
        return self.mended.fragment

    @functools.cached_property
    def source_map(self) -> SourceMap:
        return SourceMap(self.data, self.mended.text, self.mended.origin)


def read(source: Path | bytes, weights: Path | bytes | None = None) -> Document:
    """Read an IR from a file or from its bytes.

    The weights are those of the sibling ``.bin`` unless given. Faults that leave something to read are among the
    diagnostics of the document; IRError is raised where nothing is left. OSError is passed on.
    """
    path = source if isinstance(source, Path) else None
    return document(load(source) if isinstance(source, Path) else source, path, weights)


def load(path: Path) -> bytes:
    """The bytes of a file; IRError where it is larger than any IR."""
    with path.open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise IRError([refusal(f"the file has more than {MOST_BYTES} bytes", Anchor(offset=0))], str(path))
    return data


def document(data: bytes, path: Path | None = None, weights: Path | bytes | None = None) -> Document:
    """Read an IR from the bytes of the file at ``path``."""
    decoded = decode(data)
    filename = str(path) if path is not None else ""
    try:
        parsed = parse(decoded.data)
        reader = _Reader(fragment=parsed.mended.fragment)
        net = reader.net(parsed.root)
    except IRError as error:
        raise IRError((*decoded.diagnostics, *error.diagnostics), filename) from None
    found = (*decoded.diagnostics, *parsed.mended.diagnostics, *reader.found)
    return Document(path, decoded.data, parsed.mended, net, _weights(path, weights), found)


def element_type(precision: str | None) -> ElementType | None:
    """The type that ``precision`` of a port names, ``FP32`` or ``f32``; None where it names none."""
    return BY_PRECISION.get(precision or "") or BY_NAME.get(precision or "")


def dims_text(dims: Iterable[str]) -> str:
    """``[1,3,224,224]``, with ``?`` for the ``-1`` of a dynamic dim."""
    return f"[{','.join('?' if dim == '-1' else dim for dim in dims)}]"


def _weights(path: Path | None, given: Path | bytes | None) -> Weights:
    if isinstance(given, bytes):
        return Weights(None, given)
    if given is not None:
        with given.open("rb"):
            return Weights(given)
    return Weights.beside(path) if path is not None else Weights(None)


class _Reader:
    """Walks the elements in document order; each takes the next ordinal."""

    def __init__(self, *, fragment: bool) -> None:
        self.fragment = fragment
        self.found: list[Diagnostic] = []
        self.ordinal = -1
        self.layers: list[Any] = []
        self.path: list[str] = []
        self.sizes = {"-1"}

    def net(self, element: Any) -> NetElement:
        ordinal = self._next()
        self._attributes(element.attrib, "net", ordinal)
        version = element.get("version")
        if not self.fragment and version not in VERSIONS:
            if version is None:
                self._report("IR106", "<net> has no version, expected 10 or 11", Anchor(ordinal))
            else:
                what = f'IR version "{version}" is not known, expected 10 or 11'
                raise IRError([Diagnostic("IR102", what, Anchor(ordinal, "value", "version"))])
        return self._inside(element, ordinal, "net", element.get("name", ""), version)

    def _inside(self, element: Any, ordinal: int, parent: str, name: str, version: str | None) -> NetElement:
        layers: list[LayerElement] = []
        edges: list[EdgeElement] = []
        for child in self._children(element, parent):
            if child.tag == "layers":
                self._next()
                layers += [self._layer(item) for item in self._children(child, "layers")]
            elif child.tag == "edges":
                self._next()
                edges += [self._edge(item) for item in self._children(child, "edges")]
            else:
                self._skip(child)
        return NetElement(ordinal, name, version, tuple(layers), tuple(edges))

    def _layer(self, element: Any) -> LayerElement:
        ordinal = self._next()
        self.layers.append(element)
        attributes = dict(element.attrib)
        self._attributes(attributes, "layer", ordinal)
        self._required(attributes, ("type",) if self.fragment else ("id", "name", "type", "version"), "<layer>")
        self._id(attributes.get("id"), "layer", ordinal)
        data: Mapping[str, str] = {}
        data_element = None
        inputs: tuple[PortElement, ...] = ()
        outputs: tuple[PortElement, ...] = ()
        maps: dict[str, tuple[MapElement, ...]] = {}
        back_edges: tuple[BackEdgeElement, ...] = ()
        nets: list[tuple[int, str, NetElement]] = []
        for child in self._children(element, "layer"):
            tag = child.tag
            if tag == "data":
                data_element = self.ordinal + 1
                data = dict(child.attrib)
                self._skip(child)
            elif tag == "input":
                inputs = self._ports(child, tag)
            elif tag == "output":
                outputs = self._ports(child, tag)
            elif tag in _MAPS:
                at = self._next()
                nets.append((at, tag, self._body(child, at, tag, attributes)))
            elif tag == "back_edges":
                self._next()
                back_edges = tuple(self._back_edge(item) for item in self._children(child, "back_edges"))
            elif tag == "rt_info":
                self._skip(child)
            else:
                maps[tag] = self._port_map(child)
        self.layers.pop()
        bodies = tuple(
            BodyElement(at, tag, net, maps.get(_MAPS[tag], ()), back_edges if tag == "body" else ())
            for at, tag, net in nets
        )
        get = attributes.get
        names = get("id", ""), get("name", ""), get("type", ""), get("version"), get("output_names")
        return LayerElement(ordinal, *names, data, data_element, inputs, outputs, bodies)

    def _body(self, element: Any, ordinal: int, tag: str, layer: Mapping[str, str]) -> NetElement:
        if len(self.path) == DEEPEST_BODY:
            raise IRError([refusal(f"bodies are nested more than {DEEPEST_BODY} deep", Anchor(ordinal))])
        self.path.append(f'{layer.get("type", "")} "{layer.get("name", "")}" › {tag}')
        net = self._inside(element, ordinal, "net", tag, None)
        self.path.pop()
        return net

    def _ports(self, element: Any, side: str) -> tuple[PortElement, ...]:
        self.ordinal += 1
        ports = tuple([self._port(item, side) for item in self._children(element, side)])
        if len({port.id for port in ports}) == len(ports):
            return ports
        seen: set[str] = set()
        for port in ports:
            if port.id in seen:
                what = f'port id "{port.id}" is repeated in <{side}>, expected an id of its own'
                self._report("IR107", what, Anchor(port.element, "value", "id"), port=port.id)
            seen.add(port.id)
        return ports

    def _port(self, element: Any, side: str) -> PortElement:
        self.ordinal += 1
        ordinal = self.ordinal
        attributes = element.attrib
        id, precision, names = attributes.get("id"), attributes.get("precision"), attributes.get("names")
        if len(attributes) > (id is not None) + (precision is not None) + (names is not None):
            self._attributes(attributes, "port", ordinal)
        if id is None or _ID.fullmatch(id) is None:
            self._required(attributes, ("id",), "<port>")
            self._id(id, "port", ordinal)
        if precision is None:
            if side == "output" and not self.fragment:
                self._report("IR103", "<port> has no precision, OpenVINO refuses the file", Anchor(ordinal), port=id)
        elif precision not in BY_PRECISION and precision not in BY_NAME:
            what = f'precision="{precision}" is not known{near_match(precision, BY_PRECISION)}'
            self._report("IR109", what, Anchor(ordinal, "value", "precision"), port=id)
        dims: list[str] = []
        at: list[int] = []
        sizes = self.sizes
        for child in element:
            if child.tag != "dim":
                self._stranger(child, "port")
                continue
            self.ordinal += 1
            at.append(self.ordinal)
            text = child.text
            dims.append(text if text in sizes else self._size(text or "", id))
            for inner in child if len(child) else ():
                self._stranger(inner, "dim")
        if len(dims) > MOST_DIMS:
            what = f"<port> has {len(dims)} dims, expected {MOST_DIMS} at most"
            self._report("IR901", what, Anchor(ordinal), port=id)
            dims, at = [], []
        return PortElement(ordinal, id or "", precision, names, tuple(dims), tuple(at))

    def _size(self, text: str, port: str | None) -> str:
        """The text of a ``<dim>`` without white space; that of a dynamic dim where it cannot be read."""
        size = text.strip()
        if _SIZE.fullmatch(size) is None:
            meant = "; -1 was meant" if size == "?" else ", expected a size or -1"
            self._report("IR108", f'<dim> holds "{size}"{meant}', Anchor(self.ordinal, "text"), port=port)
            return "-1"
        self.sizes.add(size)
        return size

    def _edge(self, element: Any) -> EdgeElement:
        self.ordinal += 1
        attributes = element.attrib
        values = [attributes.get(name) for name in _ATTRIBUTES["edge"]]
        if None in values or len(attributes) != 4:
            self._attributes(attributes, "edge", self.ordinal)
            self._required(attributes, _ATTRIBUTES["edge"], "<edge>")
        from_layer, from_port, to_layer, to_port = (value or "" for value in values)
        return EdgeElement(self.ordinal, from_layer, from_port, to_layer, to_port)

    def _port_map(self, element: Any) -> tuple[MapElement, ...]:
        self._next()
        entries = []
        for item in self._children(element, "port_map"):
            ordinal = self._next()
            attributes = dict(item.attrib)
            self._attributes(attributes, "map", ordinal)
            self._required(attributes, ("external_port_id", "internal_layer_id"), f"<{item.tag}> of a port map")
            entries.append(MapElement(ordinal, item.tag, attributes))
        return tuple(entries)

    def _back_edge(self, element: Any) -> BackEdgeElement:
        ordinal = self._next()
        self._attributes(element.attrib, "back", ordinal)
        self._required(element.attrib, _ATTRIBUTES["back"], "<edge> of back_edges")
        return BackEdgeElement(ordinal, element.get("from-layer", ""), element.get("to-layer", ""))

    # -- what is not expected

    def _next(self) -> int:
        self.ordinal += 1
        return self.ordinal

    def _skip(self, element: Any) -> None:
        self.ordinal += sum(1 for _ in element.iter("*"))

    def _children(self, element: Any, parent: str) -> Iterator[Any]:
        """The elements that may stand here; the others are reported and passed over."""
        expected = _CHILDREN[parent]
        seen: set[str] = set()
        for child in element:
            tag = child.tag
            if tag not in expected:
                self._stranger(child, parent)
            elif tag not in _ONCE or parent == "port_map":
                yield child
            elif tag not in seen:
                seen.add(tag)
                yield child
            else:
                self._report("IR104", f"<{tag}> stands twice in <{parent}>, expected once", Anchor(self.ordinal + 1))
                self._skip(child)

    def _stranger(self, element: Any, parent: str) -> None:
        """Pass over an element and all inside it; report it unless it may stand here."""
        expected = _CHILDREN[parent]
        if element.tag not in expected and not element.tag.startswith("{"):
            what = f"unknown element <{element.tag}> in <{parent}>{near_match(element.tag, expected)}"
            self._report("IR104", what, Anchor(self.ordinal + 1), Severity.WARNING)
        self._skip(element)

    def _attributes(self, attributes: Collection[str], kind: str, ordinal: int) -> None:
        known = _ATTRIBUTES[kind]
        for name in attributes:
            if name not in known and not name.startswith("{"):
                what = f"unknown attribute {name}{near_match(name, known)}"
                self._report("IR105", what, Anchor(ordinal, "name", name), Severity.WARNING)

    def _required(self, attributes: Collection[str], names: Iterable[str], subject: str) -> None:
        for name in names:
            if name not in attributes:
                self._report("IR106", f"{subject} has no {name}", Anchor(self.ordinal))

    def _id(self, id: str | None, subject: str, ordinal: int) -> None:
        if id is not None and _ID.fullmatch(id) is None:
            what = f'id="{id}" of <{subject}> is not a number, expected one from 0 up'
            self._report("IR110", what, Anchor(ordinal, "value", "id"))

    def _report(
        self, code: str, message: str, anchor: Anchor, severity: Severity = Severity.ERROR, port: str | None = None
    ) -> None:
        layer = None
        if self.layers:
            get = self.layers[-1].get
            layer = LayerRef(get("id", ""), get("name", ""), get("type", ""), get("version", ""))
        notes = (f"in {' › '.join(self.path)}",) if self.path else ()
        self.found.append(Diagnostic(code, message, anchor, severity, layer, port, notes=notes))
