"""The text of the elements of a file, for writing again what an edit leaves as it was."""

from __future__ import annotations

import functools
from array import array
from typing import Final
from xml.parsers import expat

from irrun.document.reader import Document
from irrun.document.records import LayerElement, NetElement
from irrun.document.source_map import attributes_of, end_of_tag

_REST: Final = frozenset({"layers", "edges", "rt_info", "pre-process"})
"""The elements of a net that its writer makes."""

_HEAD: Final = frozenset({b"name", b"version"})

_SLASH: Final = ord("/")


class Original:
    """A file that a model was read from, whose text is parsed again on first use.

    ``layers`` are those of the net and of all bodies.
    """

    def __init__(self, document: Document) -> None:
        self._text = document.repaired.text
        self.net: NetElement = document.net
        self.layers: list[LayerElement] = _walk(document.net)
        self._known = {layer.element: layer for layer in self.layers}

    def find(self, layer: LayerElement | None) -> LayerElement | None:
        """Return the layer of the file that a layer is, or was before edits; None for others."""
        known = None if layer is None else self._known.get(layer.element)
        return known if known is not None and layer is not None and known.type == layer.type else None

    def text(self, element: int) -> str:
        """Return the text of an element of a layer or a net by its ordinal."""
        return self._text[self._spans[0][element] : self._spans[1][element]].decode()

    @property
    def head(self) -> str:
        """The further attributes of the net, such as namespaces, each after a space."""
        text = self._text[self._spans[0][0] : end_of_tag(self._text, self._spans[0][0])]
        return "".join(f" {name.decode()}={value.decode()}" for name, value in attributes_of(text) if name not in _HEAD)

    @property
    def notes(self) -> str:
        """The text of the ``<rt_info>`` of the net; empty where there is none."""
        return next((self.text(element) for tag, element in self._spans[2] if tag == "rt_info"), "")

    @property
    def rest(self) -> list[str]:
        """The texts of elements of the net that have no meaning for the model, such as ``<meta_data>``."""
        return [self.text(element) for tag, element in self._spans[2] if tag not in _REST]

    @functools.cached_property
    def _spans(self) -> tuple[array[int], array[int], list[tuple[str, int]]]:
        """The byte offsets of each element, of the end of layers and elements of the net, and the latter by tag."""
        text, starts, ends = self._text, array("Q"), array("Q")
        stack: list[int] = []
        top: list[tuple[str, int]] = []
        parser = expat.ParserCreate("utf-8")
        parser.ordered_attributes = True

        def start(tag: str, _attributes: object) -> None:
            if len(stack) == 1:
                top.append((tag, len(starts)))
            stack.append(len(starts))
            starts.append(parser.CurrentByteIndex)
            ends.append(0)

        def end(tag: str) -> None:
            element, at = stack.pop(), parser.CurrentByteIndex
            if tag == "layer" or len(stack) == 1:
                behind = end_of_tag(text, starts[element]) if element == len(starts) - 1 else -1
                ends[element] = at if behind == at and text[at - 2] == _SLASH else end_of_tag(text, at)

        parser.StartElementHandler, parser.EndElementHandler = start, end
        parser.Parse(text, True)
        return starts, ends, top


def _walk(net: NetElement) -> list[LayerElement]:
    found = list(net.layers)
    for layer in net.layers:
        for body in layer.bodies:
            found += _walk(body.net)
    return found
