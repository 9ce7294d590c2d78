"""Reads the elements of an IR into records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from irrun.diagnostics import Anchor, Diagnostic, IRError, nearest
from irrun.document.faults import (
    ExcessiveRank,
    HostileMarkup,
    MissingAttribute,
    NotAnIr,
    RepeatedPortId,
    UnreadableDim,
    UnreadablePrecision,
)
from irrun.document.grammar import (
    ATTRIBUTES,
    ID,
    MAPS,
    SIZE,
    VERSIONS,
)
from irrun.document.records import (
    BackEdgeElement,
    BodyElement,
    ChannelElement,
    EdgeElement,
    Info,
    LayerElement,
    MapElement,
    MeanElement,
    NetElement,
    PortElement,
    PreProcessElement,
)
from irrun.document.stream import Element, Elements
from irrun.document.text import Repaired
from irrun.document.walker import Walker
from irrun.tensor.element_type import BY_NAME, BY_PRECISION, REFUSED_PRECISIONS
from irrun.tensor.shape import BLANKS

MOST_DIMS: Final = 64
DEEPEST_BODY: Final = 80
"""A body is three elements deep, of the 255 that the parser reads, and takes six of the 1,000 frames of Python."""

_LAYER: Final = ["id", "name", "type", "version"]
_EDGE: Final = list(ATTRIBUTES["edge"])
_PORT: Final = ["id", "precision", "names"]
"""The attributes of a port as OpenVINO writes them; older files leave out the last ones."""


def elements_read(elements: Elements, repaired: Repaired) -> tuple[NetElement, tuple[Diagnostic, ...]]:
    reader = _Reader(elements, fragment=repaired.fragment)
    net = reader.net(elements.root())
    return net, tuple(reader.found)


class _Reader(Walker):
    """Makes records of the elements."""

    def __init__(self, elements: Elements, *, fragment: bool) -> None:
        super().__init__(elements, fragment=fragment)
        self.sound: dict[tuple[str, str | None, str | None], tuple[str, str | None]] = {}
        self.dims: dict[tuple[str | None, ...], tuple[str, ...]] = {}
        self.data: dict[tuple[tuple[str, str], ...], Mapping[str, str]] = {}
        self.texts: dict[str, str] = {}

    def net(self, element: Element) -> NetElement:
        ordinal = self.next()
        required = () if self.fragment else ("version",)
        attributes = self.attributes(self.values(element, ordinal), "net", ordinal, required)
        version = attributes.get("version")
        if version is not None and version not in VERSIONS:
            fault = NotAnIr(what=_refused(version))
            raise IRError([fault.at(Anchor(ordinal, "value", "version"))])
        return self._inside(element, ordinal, attributes.get("name", ""), version)

    def _inside(self, element: Element, ordinal: int, name: str, version: str | None) -> NetElement:
        layers: list[LayerElement] = []
        edges: list[EdgeElement] = []
        pre_process = None
        for tag, child in self.children(element, "net"):
            if tag == "layers":
                self.next()
                items = self.inner(child)
                layers = [self._layer(item) for item in items if item.tag == "layer" or self.admits(item, "layers")]
            elif tag == "edges":
                self.next()
                items = self.inner(child)
                edges = [self._edge(item) for item in items if item.tag == "edge" or self.admits(item, "edges")]
            elif tag == "pre-process":
                pre_process = self._pre_process(child)
            else:
                self.skip(child)
        return NetElement(ordinal, name, version, tuple(layers), tuple(edges), pre_process)

    def _layer(self, element: Element) -> LayerElement:
        ordinal = self.next()
        self.layers.append(element)
        plain = element.keys() == _LAYER
        head = [*element.values(), None] if plain else self._layer_head(element, ordinal)
        id, name, type, version, output_names = head
        self.check_id(id, "layer", ordinal)
        if type == "":
            self.report(MissingAttribute(subject="<layer>", names=["type"]), Anchor(ordinal, "value", "type"))
        data: Mapping[str, str] = {}
        data_element = None
        inputs: tuple[PortElement, ...] = ()
        outputs: tuple[PortElement, ...] = ()
        maps: dict[str, tuple[MapElement, ...]] = {}
        back_edges: tuple[BackEdgeElement, ...] = ()
        nets: list[tuple[int, str, NetElement]] = []
        info: Info = ()
        for tag, child in self.children(element, "layer"):
            if tag == "data":
                data_element = self.ordinal + 1
                data = self._data(self.values(child, data_element))
                self.skip(child)
            elif tag == "input":
                inputs = self._ports(child, tag)
            elif tag == "output":
                outputs = self._ports(child, tag, len(inputs))
            elif tag in MAPS:
                at = self.next()
                nets.append((at, tag, self._body(child, at, tag, f'{type or ""} "{name or ""}"')))
            elif tag == "back_edges":
                self.next()
                back_edges = tuple(
                    self._back_edge(item) for item in child if item.tag == "edge" or self.admits(item, "back_edges")
                )
            elif tag == "rt_info":
                info = self.rt_info(child, info)
            else:
                maps[tag] = self._port_map(child)
        self.layers.pop()
        bodies = tuple(
            BodyElement(at, tag, net, maps.get(MAPS[tag], ()), back_edges if tag == "body" else ())
            for at, tag, net in nets
        )
        share = self.texts.setdefault
        return LayerElement(
            ordinal,
            share(id or "", id or ""),
            name or "",
            share(type or "", type or ""),
            None if version is None else share(version, version),
            output_names,
            data,
            data_element,
            inputs,
            outputs,
            bodies,
            info,
        )

    def _layer_head(self, element: Element, ordinal: int) -> list[str | None]:
        """Return the attributes of a layer that are not just those that every layer has."""
        required = ("type",) if self.fragment else tuple(_LAYER)
        get = self.attributes(self.values(element, ordinal), "layer", ordinal, required).get
        return [get(name) for name in (*_LAYER, "output_names")]

    def _data(self, attributes: Mapping[str, str]) -> Mapping[str, str]:
        """Return equal attributes, which layers with the same ones share."""
        items = tuple(attributes.items())
        found = self.data.get(items)
        if found is None:
            share = self.texts.setdefault
            found = self.data[items] = {share(name, name): share(text, text) for name, text in items}
        return found

    def _body(self, element: Element, ordinal: int, tag: str, layer: str) -> NetElement:
        if len(self.path) == DEEPEST_BODY:
            fault = HostileMarkup(what=f"bodies are nested more than {DEEPEST_BODY} deep")
            raise IRError([fault.at(Anchor(ordinal))])
        self.path.append(f"{layer} › {tag}")
        net = self._inside(element, ordinal, tag, None)
        self.path.pop()
        return net

    def _ports(self, element: Element, side: str, begin: int = 0) -> tuple[PortElement, ...]:
        """Read the ports of one side; ``begin`` is the id expected of the first one."""
        self.ordinal += 1
        ports = tuple([self._port(item, side) for item in element if item.tag == "port" or self.admits(item, side)])
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
                self.report(fault, Anchor(ports[index].element, "value", "id"), id)

    def _port(self, element: Element, side: str) -> PortElement:
        self.ordinal += 1
        ordinal = self.ordinal
        id = precision = names = None
        written = element.keys()
        if written == _PORT[: len(written)]:
            id, precision, names = (*element.values(), None, None, None)[:3]
        sound = self.sound.get((side, id, precision))
        if sound is None:
            id, precision, names = self._head(self.values(element, ordinal), side, ordinal)
        else:
            id, precision = sound
        texts = tuple([child.text for child in element if child.tag == "dim" and not len(child)])
        known = self.dims.get(texts)
        if known is not None and len(texts) == len(element):
            self.ordinal += len(texts)
            return PortElement(ordinal, id or "", precision, names, known)
        return PortElement(ordinal, id or "", precision, names, *self._inside_port(element, id))

    def _inside_port(self, element: Element, id: str | None) -> tuple[tuple[str, ...], tuple[int, ...], Info]:
        """Return the dims of a port, the ordinals of their elements where they are scattered, and its ``<rt_info>``."""
        ordinal = self.ordinal
        dims: list[str] = []
        at: list[int] = []
        info: Info = ()
        for child in element:
            if child.tag == "rt_info":
                info = self.rt_info(child, info)
                continue
            if child.tag != "dim" and not self.admits(child, "port"):
                continue
            self.ordinal += 1
            at.append(self.ordinal)
            dims.append(self._size(child.text or "", id))
            for inner in child if len(child) else ():
                self.unknown(inner, "dim", None)
                self.skip(inner)
        if len(dims) > MOST_DIMS:
            raise IRError([ExcessiveRank(rank=len(dims), most=MOST_DIMS).at(Anchor(ordinal), port=id)])
        together = self.ordinal == ordinal + len(dims)
        shared = tuple(dims)
        return self.dims.setdefault(shared, shared), () if together else tuple(at), info

    def _head(
        self, attributes: Mapping[str, str], side: str, ordinal: int
    ) -> tuple[str | None, str | None, str | None]:
        """Return the id, the precision and the tensor names of a port."""
        before = len(self.found)
        needed = side == "output" and not self.fragment
        get = self.attributes(attributes, "port", ordinal, ("id", "precision") if needed else ("id",)).get
        id, precision, names = get("id"), get("precision"), get("names")
        self.check_id(id, "port", ordinal)
        if precision is not None and self._is_unreadable(precision, side):
            kind = BY_PRECISION.get(precision)
            meant = nearest(precision, BY_PRECISION) if kind is None else kind.precision
            fault = UnreadablePrecision(text=precision, meant=meant)
            self.report(fault, Anchor(ordinal, "value", "precision"), id)
        if id is not None and len(self.found) == before:
            self.sound[side, id, precision] = id, precision
        return id, precision, names

    def _is_unreadable(self, precision: str, side: str) -> bool:
        if side == "output" and not self.fragment and precision in REFUSED_PRECISIONS:
            return True
        return precision not in BY_PRECISION and precision not in BY_NAME

    def _size(self, text: str, port: str | None) -> str:
        """Return the text of a ``<dim>`` without white space; ``-1`` where it cannot be read."""
        size = text.strip(BLANKS)
        if SIZE.fullmatch(size) is None:
            fault = UnreadableDim(text=size, meant="-1" if size == "?" else None)
            self.report(fault, Anchor(self.ordinal, "text"), port)
            return "-1"
        return size

    def _edge(self, element: Element) -> EdgeElement:
        ordinal = self.next()
        self.skip_inside(element)
        if element.keys() == _EDGE:
            share = self.texts.setdefault
            ends = [share(text, text) for text in element.values()]
            if "" in ends:
                self.check_ends(dict(zip(_EDGE, ends, strict=True)), "edge", ordinal)
            return EdgeElement(ordinal, *ends)
        attributes = self.attributes(self.values(element, ordinal), "edge", ordinal, _EDGE)
        self.check_ends(attributes, "edge", ordinal)
        return EdgeElement(ordinal, *[attributes.get(name, "") for name in _EDGE])

    def _port_map(self, element: Element) -> tuple[MapElement, ...]:
        self.next()
        entries = []
        for tag, item in self.children(element, "port_map"):
            ordinal = self.next()
            self.skip_inside(item)
            required = ("external_port_id", "internal_layer_id")
            attributes = self.attributes(self.values(item, ordinal), "map", ordinal, required)
            entries.append(MapElement(ordinal, tag, attributes))
        return tuple(entries)

    def _back_edge(self, element: Element) -> BackEdgeElement:
        ordinal = self.next()
        self.skip_inside(element)
        attributes = self.attributes(self.values(element, ordinal), "back", ordinal, ATTRIBUTES["back"])
        self.check_ends(attributes, "back", ordinal)
        return BackEdgeElement(ordinal, attributes.get("from-layer", ""), attributes.get("to-layer", ""))

    def _pre_process(self, element: Element) -> PreProcessElement:
        ordinal = self.next()
        get = self.attributes(self.values(element, ordinal), "pre-process", ordinal, ()).get
        reference = get("reference-layer-name")
        channels = tuple([self._channel(item) for _, item in self.children(element, "pre-process")])
        return PreProcessElement(ordinal, reference, channels)

    def _channel(self, element: Element) -> ChannelElement:
        ordinal = self.next()
        id = self.attributes(self.values(element, ordinal), "channel", ordinal, ()).get("id")
        mean = None
        for _, item in self.children(element, "channel"):
            at = self.next()
            self.skip_inside(item)
            get = self.attributes(self.values(item, at), "mean", at, ()).get
            mean = MeanElement(at, get("value"), get("offset"), get("size"))
        return ChannelElement(ordinal, id, mean)


def _refused(version: str) -> str:
    """Return why a version is not read; OpenVINO 2021.4 had a reader for versions 2 to 9."""
    text = f'IR version "{version}" is not known, expected 10 or 11'
    if version in map(str, range(2, 10)):
        return f"{text}; OpenVINO up to 2021.4 reads it, for later ones convert the original model again"
    return text
