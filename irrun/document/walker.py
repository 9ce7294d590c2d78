"""Walks the elements of an IR in document order, and reports those that do not belong there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from irrun.diagnostics import Anchor, Diagnostic, Fault, IRError, LayerRef, Severity, nearest
from irrun.document.faults import (
    HostileMarkup,
    MissingAttribute,
    MissingPrecision,
    RepeatedElement,
    UnknownAttribute,
    UnknownElement,
    UnreadableId,
)
from irrun.document.grammar import (
    ATTRIBUTES,
    CHILDREN,
    ID,
    LEGACY_ATTRIBUTES,
    LEGACY_CHILDREN,
    MAPS,
    ONCE,
    can_be,
    meant_element,
)
from irrun.document.places import path_notes
from irrun.document.records import Info, InfoElement
from irrun.document.stream import DEEPEST, Element, Elements, Unreadable, depth

MOST_ATTRIBUTES: Final = 1000
MOST_ENTRIES: Final = 1_000_000
"""The limit on elements inside the ``<rt_info>`` of layers and ports of a file."""

_IN_PIECES: Final = frozenset({"layers", "edges", "rt_info", *MAPS})
"""Elements whose children are read before they are complete."""


class Walker:
    """Numbers elements and collects findings.

    ``layers`` are the layers around the element, and ``path`` the bodies.
    """

    def __init__(self, elements: Elements, *, fragment: bool) -> None:
        self.elements = elements
        self.fragment = fragment
        self.found: list[Diagnostic] = []
        self.ordinal: int = -1
        self.layers: list[Element] = []
        self.path: list[str] = []
        self.infos: dict[Info, Info] = {}
        self.entries: int = 0

    def next(self) -> int:
        """Return the ordinal of the next element."""
        self.ordinal += 1
        return self.ordinal

    def inner(self, element: Element) -> Iterable[Element]:
        """Return the children of an element; they are streamed while it is open."""
        return self.elements.children(element) if element is self.elements.open else element

    def values(self, element: Element, ordinal: int) -> Mapping[str, str]:
        """Return the attributes of an element; ``items`` of lxml takes quadratic time for many."""
        names = element.keys()
        if len(names) > MOST_ATTRIBUTES:
            fault = HostileMarkup(what=f"the element has {len(names)} attributes, expected at most {MOST_ATTRIBUTES}")
            raise IRError([fault.at(Anchor(ordinal))])
        return dict(zip(names, element.values(), strict=True))

    def skip(self, element: Element, around: int = DEEPEST // 2) -> None:
        """Count an element and those inside it, unread; at most ``around`` elements are around it."""
        if element is self.elements.open:
            self.ordinal += 1
            around = sum(1 for _ in element.iterancestors()) + 1
            _require_depth(around)
            for child in self.elements.children(element):
                self.skip(child, around)
            return
        self.ordinal += self.require_depth(element, around)

    def require_depth(self, element: Element, around: int = DEEPEST // 2) -> int:
        """Return the number of elements of a complete one; Unreadable where they are nested too deep."""
        count = sum(1 for _ in element.iter()) if len(element) else 1
        if around + count > DEEPEST:
            _require_depth(depth(element))
        return count

    def skip_inside(self, element: Element) -> None:
        """Count the elements inside one that has none in an IR."""
        for child in self.inner(element):
            self.skip(child)

    def children(self, element: Element, parent: str) -> Iterator[tuple[str, Element]]:
        """Yield the elements allowed in ``parent``, each with its actual or intended tag; report and skip others."""
        expected, legacy = CHILDREN[parent], LEGACY_CHILDREN.get(parent, ())
        seen: set[str] = set()
        for child in self.inner(element):
            tag: str | None = child.tag
            if tag not in expected:
                if tag in legacy:
                    self.skip(child)
                    continue
                tag = meant_element(child, parent)
                self.unknown(child, parent, tag)
            if tag is not None and tag in seen:
                self.report(RepeatedElement(tag=tag, parent=parent), Anchor(self.ordinal + 1))
                tag = None
            if tag is None:
                self.skip(child)
                continue
            if tag in ONCE and parent != "port_map":
                seen.add(tag)
            if child is self.elements.open and tag not in _IN_PIECES:
                self.elements.complete(child)
            yield tag, child

    def admits(self, element: Element, parent: str) -> bool:
        """Return whether an element is, or was meant to be, a child of ``parent``; report and skip it otherwise."""
        meant = None
        if element.tag not in CHILDREN[parent]:
            meant = meant_element(element, parent)
            self.unknown(element, parent, meant)
        if meant is None or meant == "rt_info":
            self.skip(element)
            return False
        return True

    def unknown(self, element: Element, parent: str, meant: str | None) -> None:
        """Report the next element as unknown, unless it belongs to another namespace."""
        if not element.tag.startswith("{"):
            severity = Severity.WARNING if meant is None else Severity.ERROR
            fault = UnknownElement(tag=element.tag, parent=parent, meant=meant, severity=severity)
            self.report(fault, Anchor(self.ordinal + 1))

    def attributes(
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
            close = meant or nearest(name, known)
            fits = close is None or can_be(close, attributes[name])
            fault = UnknownAttribute(name=name, meant=close, severity=severity, fits=fits)
            self.report(fault, Anchor(ordinal, "name", name))
            if meant is not None:
                absent = [word for word in absent if word != meant]
                read = {**read, meant: attributes[name]}
        subject = {"map": "entry of a port map", "back": "back edge"}.get(kind, f"<{kind}>")
        if absent == ["precision"]:
            self.report(MissingPrecision(), Anchor(ordinal))
        elif absent:
            self.report(MissingAttribute(subject=subject, names=absent), Anchor(ordinal))
        return read

    def rt_info(self, element: Element, before: Info) -> Info:
        """Return the content of a ``<rt_info>``; of several in one place, the first one counts."""
        if before:
            self.skip(element)
            return before
        self.next()
        children = []
        for child in self.inner(element):
            if child is self.elements.open:
                self.elements.complete(child)
            self.require_depth(child)
            children.append(self._entry(child))
        return self.infos.setdefault(tuple(children), tuple(children))

    def _entry(self, element: Element) -> InfoElement:
        ordinal = self.next()
        self.entries += 1
        if self.entries > MOST_ENTRIES:
            fault = HostileMarkup(what=f"the <rt_info> of layers and ports have more than {MOST_ENTRIES:,} elements")
            raise IRError([fault.at(Anchor(ordinal))])
        attributes = tuple(self.values(element, ordinal).items())
        children = tuple([self._entry(child) for child in element])
        return InfoElement(element.tag, attributes, children, "" if children else (element.text or "").strip())

    def check_id(self, id: str | None, subject: str, ordinal: int) -> None:
        if id is not None and ID.fullmatch(id) is None:
            self.report(UnreadableId(name="id", id=id, subject=subject), Anchor(ordinal, "value", "id"))

    def check_ends(self, attributes: Mapping[str, str], kind: str, ordinal: int) -> None:
        """Report the ends of an edge that are empty texts; whether other ends exist is found with the graph."""
        for name in ATTRIBUTES[kind]:
            id = attributes.get(name)
            if id == "":
                self.report(UnreadableId(name=name, id=id, subject="edge"), Anchor(ordinal, "value", name))

    def report(self, fault: Fault, anchor: Anchor, port: str | None = None) -> None:
        layer = None
        if self.layers:
            get = self.layers[-1].get
            layer = LayerRef(get("id", ""), get("name", ""), get("type", ""), get("version", ""))
        self.found.append(fault.at(anchor, layer, port, path_notes(tuple(self.path))))


def _require_depth(depth: int) -> None:
    if depth > DEEPEST:
        raise Unreadable("elements are nested too deep")
