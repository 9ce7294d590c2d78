"""bytes -> Document: reads the elements of an IR and refuses what no IR holds."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from xml.parsers import expat

from lxml import etree

from irrun.diagnostics import Anchor, Diagnostic, IRError, Severity, near_match
from irrun.document.records import (
    BackEdgeElement,
    BodyElement,
    EdgeElement,
    LayerElement,
    MapElement,
    NetElement,
    PortElement,
)
from irrun.document.repair import Mended, mend, wrap_fragment
from irrun.document.source_map import SourceMap
from irrun.document.weights import Weights
from irrun.tensor.element_type import BY_PRECISION

MOST_BYTES: Final = 1 << 30
MOST_LAYERS: Final = 5_000_000
VERSIONS: Final = ("10", "11")
BODIES: Final = ("body", "then_body", "else_body")

_CHILDREN: Final[dict[str, frozenset[str]]] = {
    "net": frozenset({"layers", "edges", "rt_info", "meta_data", "statistics", "pre-process", "quantization_parameters"}),
    "layers": frozenset({"layer"}),
    "edges": frozenset({"edge"}),
    "layer": frozenset(
        {"data", "input", "output", "rt_info", "port_map", "back_edges", "then_port_map", "else_port_map", *BODIES}
    ),
    "ports": frozenset({"port"}),
    "port": frozenset({"dim", "rt_info"}),
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
_DIM: Final = re.compile(r"-1|\d+|\?")
_PROLOG: Final = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s+|<!--.*?-->|<\?.*?\?>)*(<!DOCTYPE)", re.S)


@dataclass(frozen=True)
class Document:
    """An IR file as written. A ``fragment`` is a file whose root is a bare ``<layer>``, or several."""

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
    if path is not None and path.stat().st_size > MOST_BYTES:
        raise IRError([_refusal(f"the file has {path.stat().st_size} bytes, more than {MOST_BYTES}")], str(path))
    data = source if isinstance(source, bytes) else source.read_bytes()
    return _Reader(data, path).document(_weights(path, weights))


def _weights(path: Path | None, given: Path | bytes | None) -> Weights:
    if isinstance(given, bytes):
        return Weights(None, given)
    if given is not None:
        return Weights(given)
    return Weights.beside(path) if path is not None else Weights(None)


def _refusal(message: str, offset: int = 0, length: int = 1) -> Diagnostic:
    return Diagnostic("IR901", message, Anchor(offset=offset, length=length))


class _Reader:
    def __init__(self, data: bytes, path: Path | None) -> None:
        self.data = data
        self.path = path
        self.filename = str(path) if path is not None else ""
        self.found: list[Diagnostic] = []
        self.ordinal = -1
        self.fragment = False

    def document(self, weights: Weights) -> Document:
        doctype = _PROLOG.match(self.data)
        if doctype is not None:
            refusal = _refusal("a document type declaration has no place in an IR", doctype.start(1), 9)
            raise IRError([refusal], self.filename)
        mended = wrap_fragment(self.data)
        root, problem = _parse(mended.text)
        if root is None:
            repaired = mend(self.data)
            if repaired is not None:
                mended = repaired
                root, problem = _parse(mended.text)
            if root is None:
                assert problem is not None
                offset = mended.origin(problem[1])
                raise IRError([Diagnostic("IR101", problem[0], Anchor(offset=offset))], self.filename)
            self.found += mended.diagnostics
        if root.getroottree().docinfo.doctype:
            raise IRError([_refusal("a document type declaration has no place in an IR")], self.filename)
        if root.tag != "net":
            what = f"not an OpenVINO IR: the root element is <{root.tag}>, expected <net>"
            raise IRError([Diagnostic("IR102", what, Anchor(element=0))], self.filename)
        self.fragment = mended.fragment
        net = self._net(root)
        return Document(self.path, self.data, mended, net, weights, tuple(self.found))

    # -- elements, in document order, each taking the next ordinal

    def _next(self) -> int:
        self.ordinal += 1
        return self.ordinal

    def _skip(self, element: Any) -> None:
        self.ordinal += sum(1 for _ in element.iter("*"))

    def _report(self, code: str, message: str, anchor: Anchor, severity: Severity = Severity.ERROR) -> None:
        self.found.append(Diagnostic(code, message, anchor, severity))

    def _net(self, element: Any) -> NetElement:
        ordinal = self._next()
        self._attributes(element, "net", ordinal)
        version = element.get("version")
        if not self.fragment and version not in VERSIONS:
            if version is None:
                self._report("IR106", "<net> has no version, expected 10 or 11", Anchor(ordinal))
            else:
                what = f"IR version {version} is not known, expected 10 or 11"
                self._report("IR102", what, Anchor(ordinal, "value", "version"))
        return self._inside(element, ordinal, "net", element.get("name", ""), version)

    def _inside(self, element: Any, ordinal: int, parent: str, name: str, version: str | None) -> NetElement:
        layers: list[LayerElement] = []
        edges: list[EdgeElement] = []
        for child in element:
            if child.tag == "layers":
                self._next()
                for item in self._children(child, "layers"):
                    layers.append(self._layer(item))
            elif child.tag == "edges":
                self._next()
                edges += [self._edge(item) for item in self._children(child, "edges")]
            else:
                self._other(child, parent)
        return NetElement(ordinal, name, version, tuple(layers), tuple(edges))

    def _layer(self, element: Any) -> LayerElement:
        ordinal = self._next()
        attributes = element.attrib
        self._attributes(element, "layer", ordinal)
        for name in ("id", "name", "type"):
            if name not in attributes and not (self.fragment and name != "type"):
                self._report("IR106", f"<layer> has no {name}", Anchor(ordinal))
        data: dict[str, str] = {}
        data_element = None
        inputs: tuple[PortElement, ...] = ()
        outputs: tuple[PortElement, ...] = ()
        maps: dict[str, tuple[MapElement, ...]] = {}
        back_edges: tuple[BackEdgeElement, ...] = ()
        nets: list[tuple[int, str, NetElement]] = []
        for child in element:
            match child.tag:
                case "data":
                    data_element = self.ordinal + 1
                    data.update(child.attrib)
                    self._skip(child)
                case "input":
                    inputs = self._ports(child)
                case "output":
                    outputs = self._ports(child)
                case "port_map" | "then_port_map" | "else_port_map":
                    maps[child.tag] = self._port_map(child)
                case "back_edges":
                    self._next()
                    back_edges = tuple(self._back_edge(item) for item in self._children(child, "back_edges"))
                case "body" | "then_body" | "else_body":
                    body = self._next()
                    nets.append((body, child.tag, self._inside(child, body, "net", child.tag, None)))
                case _:
                    self._other(child, "layer")
        bodies = tuple(
            BodyElement(at, tag, net, maps.get(tag.replace("body", "port_map"), ()), back_edges if tag == "body" else ())
            for at, tag, net in nets
        )
        return LayerElement(
            ordinal,
            attributes.get("id", ""),
            attributes.get("name", ""),
            attributes.get("type", ""),
            attributes.get("version"),
            attributes.get("output_names"),
            data,
            data_element,
            inputs,
            outputs,
            bodies,
        )

    def _ports(self, element: Any) -> tuple[PortElement, ...]:
        self._next()
        ports = tuple(self._port(item) for item in self._children(element, "ports"))
        seen: set[str] = set()
        for port in ports:
            if port.id in seen:
                what = f'port id "{port.id}" is repeated in <{element.tag}>, expected an id of its own'
                self._report("IR107", what, Anchor(port.element, "value", "id"))
            seen.add(port.id)
        return ports

    def _port(self, element: Any) -> PortElement:
        ordinal = self._next()
        attributes = element.attrib
        if len(attributes) > 1:
            self._attributes(element, "port", ordinal)
        if "id" not in attributes:
            self._report("IR106", "<port> has no id", Anchor(ordinal))
        precision = attributes.get("precision")
        if precision is None and not self.fragment:
            self._report("IR103", "<port> has no precision, OpenVINO refuses the file", Anchor(ordinal))
        elif precision is not None and precision not in BY_PRECISION:
            what = f"{precision} is no precision{near_match(precision, BY_PRECISION)}"
            self._report("IR109", what, Anchor(ordinal, "value", "precision"))
        dims: list[str] = []
        at: list[int] = []
        for child in element:
            if child.tag != "dim":
                self._other(child, "port")
                continue
            where = self._next()
            text = (child.text or "").strip()
            if _DIM.fullmatch(text) is None:
                what = f'<dim> holds "{text}", expected a size or -1'
                self._report("IR108", what, Anchor(where, "text"))
                text = "-1"
            dims.append(text)
            at.append(where)
            if len(child):
                for inner in child:
                    self._other(inner, "dim")
        return PortElement(
            ordinal, attributes.get("id", ""), precision, attributes.get("names"), tuple(dims), tuple(at)
        )

    def _edge(self, element: Any) -> EdgeElement:
        ordinal = self._next()
        attributes = element.attrib
        if len(attributes) != 4:
            self._attributes(element, "edge", ordinal)
        values = []
        for name in _ATTRIBUTES["edge"]:
            if name not in attributes:
                self._report("IR106", f"<edge> has no {name}", Anchor(ordinal))
            values.append(attributes.get(name, ""))
        return EdgeElement(ordinal, *values)

    def _port_map(self, element: Any) -> tuple[MapElement, ...]:
        self._next()
        entries = []
        for item in self._children(element, "port_map"):
            ordinal = self._next()
            self._attributes(item, "map", ordinal)
            for name in ("external_port_id", "internal_layer_id"):
                if name not in item.attrib:
                    self._report("IR106", f"<{item.tag}> of a port map has no {name}", Anchor(ordinal))
            entries.append(MapElement(ordinal, item.tag, dict(item.attrib)))
        return tuple(entries)

    def _back_edge(self, element: Any) -> BackEdgeElement:
        ordinal = self._next()
        self._attributes(element, "back", ordinal)
        for name in _ATTRIBUTES["back"]:
            if name not in element.attrib:
                self._report("IR106", f"<edge> of back_edges has no {name}", Anchor(ordinal))
        return BackEdgeElement(ordinal, element.get("from-layer", ""), element.get("to-layer", ""))

    # -- what is not expected

    def _children(self, element: Any, parent: str) -> Iterator[Any]:
        expected = _CHILDREN[parent]
        for child in element:
            if child.tag in expected:
                yield child
            else:
                self._other(child, parent)

    def _other(self, element: Any, parent: str) -> None:
        """Pass over an element and all inside it; report it unless it may stand here."""
        expected = _CHILDREN.get(parent, frozenset())
        if element.tag not in expected and not element.tag.startswith("{"):
            where = "input or output" if parent == "ports" else parent
            what = f"unknown element <{element.tag}> in <{where}>{near_match(element.tag, expected)}"
            self._report("IR104", what, Anchor(self.ordinal + 1), Severity.WARNING)
        self._skip(element)

    def _attributes(self, element: Any, kind: str, ordinal: int) -> None:
        known = _ATTRIBUTES[kind]
        for name in element.attrib:
            if name not in known and not name.startswith("{"):
                what = f"unknown attribute {name} in <{element.tag}>{near_match(name, known)}"
                self._report("IR105", what, Anchor(ordinal, "name", name), Severity.WARNING)


def _parse(text: bytes) -> tuple[Any, tuple[str, int] | None]:
    """The root element, or what is wrong with the text and at which byte."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True, strip_cdata=False
    )
    try:
        return etree.fromstring(text, parser), None
    except etree.XMLSyntaxError as problem:
        return None, _expat_problem(text) or (f"malformed XML: {problem.msg}", 0)
    except ValueError as problem:
        return None, (f"malformed XML: {problem}", 0)


def _expat_problem(text: bytes) -> tuple[str, int] | None:
    if not text.strip():
        return "malformed XML: the file is empty", 0
    opened: list[str] = []
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda name, _attributes: opened.append(name)
    parser.EndElementHandler = lambda _name: opened.pop()
    try:
        parser.Parse(text, True)
    except expat.ExpatError as problem:
        reason = expat.ErrorString(problem.code) or "not well-formed"
        inside = f" inside <{opened[-1]}>" if opened else ""
        return f"malformed XML: {reason}{inside}", max(parser.ErrorByteIndex, 0)
    return None


def dims_text(dims: Iterable[str]) -> str:
    """``[1,3,224,224]``, with ``?`` for the ``-1`` of a dynamic dim."""
    return f"[{','.join('?' if dim == '-1' else dim for dim in dims)}]"
