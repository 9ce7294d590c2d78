"""Reads the elements of an IR in document order, and reports those that do not belong there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final
from xml.etree.ElementTree import Element

from irrun.diagnostics import Anchor, Diagnostic, Fault, IRError, LayerRef, Severity, nearest
from irrun.document.faults import (
    ExcessiveRank,
    HostileMarkup,
    MissingAttribute,
    MissingPrecision,
    NotAnIr,
    RepeatedElement,
    RepeatedPortId,
    UnknownAttribute,
    UnknownElement,
    UnreadableDim,
    UnreadableId,
    UnreadablePrecision,
)
from irrun.document.grammar import (
    ATTRIBUTES,
    CHILDREN,
    ID,
    LEGACY_ATTRIBUTES,
    LEGACY_CHILDREN,
    MAPS,
    ONCE,
    SIZE,
    VERSIONS,
    meant_element,
)
from irrun.document.places import path_notes
from irrun.document.records import (
    BackEdgeElement,
    BodyElement,
    ChannelElement,
    EdgeElement,
    LayerElement,
    MapElement,
    MeanElement,
    NetElement,
    PortElement,
    PreProcessElement,
)
from irrun.document.stream import DEEPEST, Elements, check, depth
from irrun.document.text import Repaired
from irrun.tensor.element_type import BY_NAME, BY_PRECISION

MOST_DIMS: Final = 64
DEEPEST_BODY: Final = 32

_LAYER: Final = {"id", "name", "type", "version"}
_IN_PIECES: Final = frozenset({"layers", "edges", *MAPS})
"""Elements whose children are read before they are complete."""


def elements_read(elements: Elements, repaired: Repaired) -> tuple[NetElement, tuple[Diagnostic, ...]]:
    reader = _Reader(elements, repaired)
    net = reader.net(elements.root())
    return net, tuple(reader.found)


class _Reader:
    """Reads the elements in document order and numbers them."""

    def __init__(self, elements: Elements, repaired: Repaired) -> None:
        self.elements = elements
        self.text = repaired.text
        self.fragment = repaired.fragment
        self.found: list[Diagnostic] = []
        self.ordinal = -1
        self.layers: list[Element] = []
        self.path: list[str] = []
        self.heads: dict[tuple[str | None, str | None, bool, int], tuple[str | None, str | None]] = {}
        self.sizes = {"-1": "-1"}
        self.dims: dict[tuple[str, ...], tuple[str, ...]] = {}
        self.texts: dict[str, str] = {}

    def net(self, element: Element) -> NetElement:
        ordinal = self._next()
        attributes = self._attributes(element.attrib, "net", ordinal, () if self.fragment else ("version",))
        version = attributes.get("version")
        if version is not None and version not in VERSIONS:
            fault = NotAnIr(what=f'IR version "{version}" is not known, expected 10 or 11')
            raise IRError([fault.at(Anchor(ordinal, "value", "version"))])
        return self._inside(element, ordinal, attributes.get("name", ""), version)

    def _inside(self, element: Element, ordinal: int, name: str, version: str | None) -> NetElement:
        layers: list[LayerElement] = []
        edges: list[EdgeElement] = []
        pre_process = None
        for tag, child in self._children(element, "net"):
            if tag == "layers":
                self._next()
                items = self._inner(child)
                layers = [self._layer(item) for item in items if item.tag == "layer" or self._admits(item, "layers")]
            elif tag == "edges":
                self._next()
                items = self._inner(child)
                edges = [self._edge(item) for item in items if item.tag == "edge" or self._admits(item, "edges")]
            elif tag == "pre-process":
                pre_process = self._pre_process(child)
            else:
                self._skip(child)
        return NetElement(ordinal, name, version, tuple(layers), tuple(edges), pre_process)

    def _layer(self, element: Element) -> LayerElement:
        ordinal = self._next()
        self.layers.append(element)
        attributes: Mapping[str, str] = element.attrib
        if attributes.keys() != _LAYER:
            required = ("type",) if self.fragment else ("id", "name", "type", "version")
            attributes = self._attributes(attributes, "layer", ordinal, required)
        self._id(attributes.get("id"), "layer", ordinal)
        share = self.texts.setdefault
        data: Mapping[str, str] = {}
        data_element = None
        inputs: tuple[PortElement, ...] = ()
        outputs: tuple[PortElement, ...] = ()
        maps: dict[str, tuple[MapElement, ...]] = {}
        back_edges: tuple[BackEdgeElement, ...] = ()
        nets: list[tuple[int, str, NetElement]] = []
        for tag, child in self._children(element, "layer"):
            if tag == "data":
                data_element = self.ordinal + 1
                data = {name: share(text, text) for name, text in child.attrib.items()}
                self._skip(child)
            elif tag == "input":
                inputs = self._ports(child, tag)
            elif tag == "output":
                outputs = self._ports(child, tag, len(inputs))
            elif tag in MAPS:
                at = self._next()
                nets.append((at, tag, self._body(child, at, tag, attributes)))
            elif tag == "back_edges":
                self._next()
                back_edges = tuple(
                    self._back_edge(item) for item in child if item.tag == "edge" or self._admits(item, "back_edges")
                )
            elif tag == "rt_info":
                self._skip(child)
            else:
                maps[tag] = self._port_map(child)
        self.layers.pop()
        bodies = tuple(
            BodyElement(at, tag, net, maps.get(MAPS[tag], ()), back_edges if tag == "body" else ())
            for at, tag, net in nets
        )
        id, type, version = attributes.get("id", ""), attributes.get("type", ""), attributes.get("version")
        return LayerElement(
            ordinal,
            share(id, id),
            attributes.get("name", ""),
            share(type, type),
            None if version is None else share(version, version),
            attributes.get("output_names"),
            data,
            data_element,
            inputs,
            outputs,
            bodies,
        )

    def _body(self, element: Element, ordinal: int, tag: str, layer: Mapping[str, str]) -> NetElement:
        if len(self.path) == DEEPEST_BODY:
            fault = HostileMarkup(what=f"bodies are nested more than {DEEPEST_BODY} deep")
            raise IRError([fault.at(Anchor(ordinal))])
        self.path.append(f'{layer.get("type", "")} "{layer.get("name", "")}" › {tag}')
        net = self._inside(element, ordinal, tag, None)
        self.path.pop()
        return net

    def _ports(self, element: Element, side: str, begin: int = 0) -> tuple[PortElement, ...]:
        """Read the ports of one side; ``begin`` is the id expected of the first one."""
        self.ordinal += 1
        ports = tuple([self._port(item, side) for item in element if item.tag == "port" or self._admits(item, side)])
        if len(ports) == 1 or len({port.id for port in ports}) == len(ports):
            return ports
        self._repeated(ports, side, begin)
        return ports

    def _repeated(self, ports: Sequence[PortElement], side: str, begin: int) -> None:
        """Report each port whose id is repeated, except the one at the position that the id belongs to."""
        places: dict[str, list[int]] = {}
        for index, port in enumerate(ports):
            places.setdefault(port.id, []).append(index)
        for id, twins in places.items():
            right = next((index for index in twins if str(begin + index) == id), twins[0])
            for index in twins:
                if index == right:
                    continue
                number = str(int(id) + index - right) if ID.fullmatch(id) is not None else id
                fault = RepeatedPortId(id=id, side=side, meant=None if number in places else number)
                self._report(fault, Anchor(ports[index].element, "value", "id"), id)

    def _port(self, element: Element, side: str) -> PortElement:
        self.ordinal += 1
        ordinal = self.ordinal
        attributes = element.attrib
        names = attributes.get("names")
        key = attributes.get("id"), attributes.get("precision"), names is None, len(attributes)
        if key in self.heads:
            id, precision = self.heads[key]
        else:
            id, precision, names = self._head(attributes, side, ordinal)
        dims: list[str] = []
        at: list[int] = []
        sizes = self.sizes
        for child in element:
            if child.tag != "dim" and not self._admits(child, "port"):
                continue
            self.ordinal += 1
            at.append(self.ordinal)
            text = child.text
            dims.append(sizes[text] if text in sizes else self._size(text or "", id))
            for inner in child if len(child) else ():
                self._unknown(inner, "dim", None)
                self._skip(inner)
        if len(dims) > MOST_DIMS:
            raise IRError([ExcessiveRank(rank=len(dims), most=MOST_DIMS).at(Anchor(ordinal), port=id)])
        together = self.ordinal == ordinal + len(dims)
        shared = self.dims.setdefault(tuple(dims), tuple(dims))
        return PortElement(ordinal, id or "", precision, names, shared, () if together else tuple(at))

    def _head(
        self, attributes: Mapping[str, str], side: str, ordinal: int
    ) -> tuple[str | None, str | None, str | None]:
        """Return the id, the precision and the tensor names of a port."""
        id, precision, names = attributes.get("id"), attributes.get("precision"), attributes.get("names")
        before = len(self.found)
        plain = id is not None and precision is not None and len(attributes) == 2 + (names is not None)
        if not plain:
            needed = side == "output" and not self.fragment
            attributes = self._attributes(attributes, "port", ordinal, ("id", "precision") if needed else ("id",))
            id, precision, names = attributes.get("id"), attributes.get("precision"), attributes.get("names")
        self._id(id, "port", ordinal)
        if precision is not None and precision not in BY_PRECISION and precision not in BY_NAME:
            fault = UnreadablePrecision(text=precision, meant=nearest(precision, BY_PRECISION))
            self._report(fault, Anchor(ordinal, "value", "precision"), id)
        if plain and len(self.found) == before:
            self.heads[id, precision, names is None, len(attributes)] = id, precision
        return id, precision, names

    def _size(self, text: str, port: str | None) -> str:
        """Return the text of a ``<dim>`` without white space; ``-1`` where it cannot be read."""
        size = text.strip()
        if SIZE.fullmatch(size) is None:
            fault = UnreadableDim(text=size, meant="-1" if size == "?" else None)
            self._report(fault, Anchor(self.ordinal, "text"), port)
            return "-1"
        return self.sizes.setdefault(text, size)

    def _edge(self, element: Element) -> EdgeElement:
        self.ordinal += 1
        attributes = element.attrib
        if len(attributes) == 4 and ATTRIBUTES["edge"] == tuple(attributes):
            share = self.texts.setdefault
            return EdgeElement(self.ordinal, *[share(text, text) for text in attributes.values()])
        get = self._attributes(attributes, "edge", self.ordinal, ATTRIBUTES["edge"]).get
        ends = [get(name, "") for name in ATTRIBUTES["edge"]]
        return EdgeElement(self.ordinal, *ends)

    def _port_map(self, element: Element) -> tuple[MapElement, ...]:
        self._next()
        entries = []
        for tag, item in self._children(element, "port_map"):
            ordinal = self._next()
            required = ("external_port_id", "internal_layer_id")
            entries.append(MapElement(ordinal, tag, self._attributes(dict(item.attrib), "map", ordinal, required)))
        return tuple(entries)

    def _back_edge(self, element: Element) -> BackEdgeElement:
        ordinal = self._next()
        get = self._attributes(element.attrib, "back", ordinal, ATTRIBUTES["back"]).get
        return BackEdgeElement(ordinal, get("from-layer", ""), get("to-layer", ""))

    def _pre_process(self, element: Element) -> PreProcessElement:
        ordinal = self._next()
        reference = self._attributes(element.attrib, "pre-process", ordinal, ()).get("reference-layer-name")
        channels = tuple([self._channel(item) for _, item in self._children(element, "pre-process")])
        return PreProcessElement(ordinal, reference, channels)

    def _channel(self, element: Element) -> ChannelElement:
        ordinal = self._next()
        id = self._attributes(element.attrib, "channel", ordinal, ()).get("id")
        mean = None
        for _, item in self._children(element, "channel"):
            at = self._next()
            get = self._attributes(item.attrib, "mean", at, ()).get
            mean = MeanElement(at, get("value"), get("offset"), get("size"))
        return ChannelElement(ordinal, id, mean)

    # -- unexpected elements and attributes

    def _next(self) -> int:
        self.ordinal += 1
        return self.ordinal

    def _inner(self, element: Element) -> Iterable[Element]:
        """Return the children of an element; they are streamed while it is open."""
        return self.elements.children(element) if element is self.elements.open else element

    def _skip(self, element: Element) -> None:
        if element is self.elements.open:
            self.elements.complete(element)
        if not len(element):
            self.ordinal += 1
            return
        count = sum(1 for _ in element.iter())
        if count > DEEPEST // 2 and depth(element) > DEEPEST // 2:
            check(self.text)
        self.ordinal += count

    def _children(self, element: Element, parent: str) -> Iterator[tuple[str, Element]]:
        """Yield the elements allowed in ``parent``, each with its actual or intended tag; report and skip others."""
        expected, legacy = CHILDREN[parent], LEGACY_CHILDREN.get(parent, ())
        seen: set[str] = set()
        for child in self._inner(element):
            tag: str | None = child.tag
            if tag in legacy:
                self._skip(child)
                continue
            if tag not in expected:
                tag = meant_element(child, parent)
                self._unknown(child, parent, tag)
            if tag is not None and tag in seen:
                self._report(RepeatedElement(tag=tag, parent=parent), Anchor(self.ordinal + 1))
                tag = None
            if tag is None:
                self._skip(child)
                continue
            if tag in ONCE and parent != "port_map":
                seen.add(tag)
            if child is self.elements.open and tag not in _IN_PIECES:
                self.elements.complete(child)
            yield tag, child

    def _admits(self, element: Element, parent: str) -> bool:
        """Return whether an element is, or was meant to be, a child of ``parent``; report and skip it otherwise."""
        meant = None
        if element.tag not in CHILDREN[parent]:
            meant = meant_element(element, parent)
            self._unknown(element, parent, meant)
        if meant is None or meant == "rt_info":
            self._skip(element)
            return False
        return True

    def _unknown(self, element: Element, parent: str, meant: str | None) -> None:
        """Report the next element as unknown, unless it belongs to another namespace."""
        if not element.tag.startswith("{"):
            severity = Severity.WARNING if meant is None else Severity.ERROR
            fault = UnknownElement(tag=element.tag, parent=parent, meant=meant, severity=severity)
            self._report(fault, Anchor(self.ordinal + 1))

    def _attributes(
        self, attributes: Mapping[str, str], kind: str, ordinal: int, required: Iterable[str]
    ) -> Mapping[str, str]:
        """Return the attributes, with misspelt names corrected; report unknown and missing ones."""
        known, legacy = ATTRIBUTES[kind], LEGACY_ATTRIBUTES.get(kind, ())
        absent = [name for name in required if name not in attributes]
        unknown = [name for name in attributes if not (name in known or name in legacy or name.startswith("{"))]
        read = dict(attributes) if unknown else attributes
        for name in unknown:
            meant = nearest(name, absent) or nearest(name, (word for word in known if word not in read))
            meant = meant or (absent[0] if len(absent) == len(unknown) == 1 else None)
            severity = Severity.WARNING if meant is None else Severity.ERROR
            fault = UnknownAttribute(name=name, meant=meant or nearest(name, known), severity=severity)
            self._report(fault, Anchor(ordinal, "name", name))
            if meant is not None:
                absent = [word for word in absent if word != meant]
                read = {**read, meant: attributes[name]}
        subject = {"map": "entry of a port map", "back": "back edge"}.get(kind, f"<{kind}>")
        if absent == ["precision"]:
            self._report(MissingPrecision(), Anchor(ordinal))
        elif absent:
            self._report(MissingAttribute(subject=subject, names=absent), Anchor(ordinal))
        return read

    def _id(self, id: str | None, subject: str, ordinal: int) -> None:
        if id is not None and ID.fullmatch(id) is None:
            self._report(UnreadableId(id=id, subject=subject), Anchor(ordinal, "value", "id"))

    def _report(self, fault: Fault, anchor: Anchor, port: str | None = None) -> None:
        layer = None
        if self.layers:
            get = self.layers[-1].get
            layer = LayerRef(get("id", ""), get("name", ""), get("type", ""), get("version", ""))
        self.found.append(fault.at(anchor, layer, port, path_notes(tuple(self.path))))
