"""The text of elements, in the layout that OpenVINO writes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from irrun.document.grammar import MAPS
from irrun.document.original import Original
from irrun.document.records import BodyElement, Info, InfoElement, LayerElement, NetElement, PortElement

_REFERENCES: Final = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
)
_TAG: Final = re.compile(r"[A-Za-z_][\w.-]*")


def quoted(value: str) -> str:
    """The text of an attribute, in quotes. Python's `xml.sax.saxutils`, which has it too, imports a client for HTTP."""
    return f'"{value.translate(_REFERENCES)}"'


def net_lines(net: NetElement, original: Original | None = None) -> Iterator[str]:
    """Yield the lines of the layers and edges of a net; layers of the original file have the text that they have there.

    A layer of a file has the ordinal of its element; a new or a changed one has -1.
    """
    yield "\t<layers>"
    for layer in net.layers:
        if original is not None and layer.element >= 0:
            yield f"\t\t{original.text(layer.element)}"
        else:
            yield from _layer(layer, original)
    yield "\t</layers>"
    yield "\t<edges>"
    for edge in net.edges:
        names = ("from-layer", "from-port", "to-layer", "to-port")
        yield f"\t\t<edge {_pairs(zip(names, edge[1:], strict=True))} />"
    yield "\t</edges>"


def _layer(layer: LayerElement, original: Original | None) -> Iterator[str]:
    head = {"id": layer.id, "name": layer.name, "type": layer.type, "version": layer.version}
    head["output_names"] = layer.output_names
    yield f"\t\t<layer {_pairs((name, text) for name, text in head.items() if text is not None)}>"
    if layer.data:
        yield f"\t\t\t<data {_pairs(layer.data.items())} />"
    yield from _info(layer.info, "\t\t\t")
    for body in layer.bodies:
        yield from _port_map(body)
    for tag, ports in (("input", layer.inputs), ("output", layer.outputs)):
        if ports:
            yield f"\t\t\t<{tag}>"
            for port in ports:
                yield from _port(port)
            yield f"\t\t\t</{tag}>"
    for body in layer.bodies:
        yield f"\t\t\t<{body.tag}>"
        yield from net_lines(body.net, original)
        yield "\t<rt_info />"
        yield f"\t\t\t</{body.tag}>"
    yield "\t\t</layer>"


def _port(port: PortElement) -> Iterator[str]:
    head = {"id": port.id, "precision": port.precision, "names": port.names}
    text = f"\t\t\t\t<port {_pairs((name, value) for name, value in head.items() if value is not None)}"
    if not port.dims and not port.info:
        yield f"{text} />"
        return
    yield f"{text}>"
    for dim in port.dims:
        yield f"\t\t\t\t\t<dim>{dim}</dim>"
    yield from _info(port.info, "\t\t\t\t\t")
    yield "\t\t\t\t</port>"


def _info(info: Info, indent: str) -> Iterator[str]:
    if info:
        yield f"{indent}<rt_info>"
        for entry in info:
            yield from entry_lines(entry, f"{indent}\t")
        yield f"{indent}</rt_info>"


def entry_lines(entry: InfoElement, indent: str) -> Iterator[str]:
    """Yield the lines of an entry of a ``<rt_info>``."""
    if entry.tag.startswith("{"):
        return
    head = f"{indent}<{entry.tag}{' ' if entry.attributes else ''}{_pairs(entry.attributes)}"
    if not entry.children:
        yield f"{head}>{entry.text.translate(_REFERENCES)}</{entry.tag}>" if entry.text else f"{head} />"
        return
    yield f"{head}>"
    for child in entry.children:
        yield from entry_lines(child, f"{indent}\t")
    yield f"{indent}</{entry.tag}>"


def noted(key: str, value: object) -> InfoElement:
    """Return the entry of a note on a net; a text that is not a name of an element becomes an attribute."""
    is_name = _TAG.fullmatch(key) is not None
    tag, head = (key, ()) if is_name else ("info", (("name", key),))
    if isinstance(value, Mapping):
        return InfoElement(tag, head, tuple(noted(name, item) for name, item in value.items()))
    return InfoElement(tag, (*head, ("value", str(value))))


def _port_map(body: BodyElement) -> Iterator[str]:
    name = MAPS.get(body.tag) or body.tag.replace("body", "port_map")
    yield f"\t\t\t<{name}>"
    for entry in body.port_map:
        yield f"\t\t\t\t<{entry.kind} {_pairs(entry.attributes.items())} />"
    yield f"\t\t\t</{name}>"
    if body.back_edges:
        yield "\t\t\t<back_edges>"
        for edge in body.back_edges:
            yield f'\t\t\t\t<edge from-layer="{edge.from_layer}" to-layer="{edge.to_layer}" />'
        yield "\t\t\t</back_edges>"


def _pairs(attributes: Iterable[tuple[str, str]]) -> str:
    """Return attributes as text, without those of other namespaces, which only the text of the file has."""
    return " ".join(f"{name}={quoted(text)}" for name, text in attributes if not name.startswith("{"))
