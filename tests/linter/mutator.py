"""Makes random single faults in sound IR files, each with the elements that a finding may point at."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from irrun.diagnostics import Anchor, OpError
from irrun.document import Document
from irrun.document.reader import document
from irrun.document.records import EdgeElement, LayerElement, NetElement, PortElement
from irrun.ops.declaration import REQUIRED
from irrun.ops.registry import resolve

PRECISIONS = ("FP32", "FP16", "I64", "I32", "U8", "BOOL", "FP64", "I8")


class Fault(NamedTuple):
    """A replacement of the bytes from ``start`` to ``end``; the finding should point at an element of ``at``."""

    kind: str
    start: int
    end: int
    content: bytes
    at: frozenset[int]

    def planted(self, text: bytes) -> bytes:
        return text[: self.start] + self.content + text[self.end :]

    def __str__(self) -> str:
        return f"{self.kind}: {self.content.decode()!r} at {self.start}"


class Mutator:
    """Makes faults for one file. The same seed makes the same faults."""

    def __init__(self, text: bytes, seed: int | str) -> None:
        self.text = text
        self.random = random.Random(seed)
        self.document: Document = document(text)
        self.nets = list(_nets(self.document.net))
        self.layers = [layer for net in self.nets for layer in net.layers]
        self.edges = [(net, edge) for net in self.nets for edge in net.edges]
        self.constants = [layer for layer in self.layers if layer.type == "Const" and "offset" in layer.data]
        self.filled = [layer for layer in self.constants if int(layer.data["size"]) > 1]
        self.ports = [(layer, port) for layer in self.layers for port in (*layer.inputs, *layer.outputs)]
        self.sized = [(layer, port) for layer, port in self.ports if any(dim != "-1" for dim in port.dims)]
        self.typed = [(layer, port) for layer, port in self.ports if port.precision is not None]
        self.attributed = [(layer, name) for layer in self.layers for name in _attributes(layer)]
        self.removable = [(layer, name) for layer, name in self.attributed if not _is_at_default(layer, name)]

    def faults(self, count: int, kinds: Sequence[str] | None = None) -> Iterator[Fault]:
        """Yield ``count`` faults, in equal shares of all kinds for which the file has a place."""
        chosen = [kind for kind in (kinds or KINDS) if self._has_place(kind)]
        self.random.shuffle(chosen)
        for index in range(count if chosen else 0):
            yield KINDS[chosen[index % len(chosen)]](self)

    def _has_place(self, kind: str) -> bool:
        first = kind.partition(" ")[0]
        if kind == "offset moved":
            return len(self.filled) > 1
        places: Mapping[str, Sequence[object]] = {
            "dim": self.sized,
            "precision": self.typed,
            "attribute": self.removable if kind == "attribute removed" else self.attributed,
            "edge": self.edges,
            "offset": self.constants,
            "size": self.constants,
        }
        return bool(places.get(first, self.layers))

    # -- ports

    def size(self) -> Fault:
        _, port = self.random.choice(self.sized)
        axis = self.random.choice([axis for axis, dim in enumerate(port.dims) if dim != "-1"])
        old = int(port.dims[axis])
        new = self.random.choice([size for size in (old + 1, old - 1, 2 * old, old + 7, 10 * old + 3) if size > 0])
        new = new if new != old else old + 1
        return self._text(port.dim_elements[axis], str(new), "dim size", _of(port))

    def unreadable_size(self) -> Fault:
        _, port = self.random.choice(self.sized)
        axis = self.random.choice([axis for axis, dim in enumerate(port.dims) if dim != "-1"])
        return self._text(port.dim_elements[axis], self._garbled(port.dims[axis]), "dim text", _of(port))

    def removed_dim(self) -> Fault:
        _, port = self.random.choice(self.sized)
        element = self.random.choice([at for at, dim in zip(port.dim_elements, port.dims, strict=True) if dim != "-1"])
        start = self._start(element)
        before = self.text[:start]
        end = self.text.index(b"</dim>", start) + len(b"</dim>")
        return Fault("dim removed", len(before.rstrip()), end, b"", _of(port))

    def added_dim(self) -> Fault:
        _, port = self.random.choice(self.sized)
        start = self._start(self.random.choice(port.dim_elements))
        before = self.text[:start]
        indent = before[len(before.rstrip()) :]
        content = b"<dim>%d</dim>" % self.random.choice([1, 2, 3, 5])
        return Fault("dim added", start, start, content + indent, _of(port))

    def precision(self) -> Fault:
        layer, port = self.random.choice(self.typed)
        words = [word for word in PRECISIONS if word != port.precision]
        is_unread = all((edge.from_layer, edge.from_port) != (layer.id, port.id) for _, edge in self.edges)
        if port in layer.outputs and is_unread and (port.precision or "").startswith(("I", "U")):
            # Old writers declare such outputs as floats, which is information only.
            words = [word for word in words if word not in ("FP16", "FP32")]
        new = self.random.choice(words)
        return self._value(port.element, "precision", new, "precision", _of(port))

    def unknown_precision(self) -> Fault:
        _, port = self.random.choice(self.typed)
        new = self._misspelt(port.precision or "")
        return self._value(port.element, "precision", new, "precision misspelt", _of(port))

    # -- attributes

    def attribute_name(self) -> Fault:
        layer, name = self.random.choice(self.attributed)
        element = layer.data_element or 0
        span = self.document.source_map.locate(Anchor(element, "name", name))
        new = self._misspelt(name)
        return Fault("attribute name", span.start, span.end, new.encode(), frozenset({element}))

    def removed_attribute(self) -> Fault:
        """Remove an attribute that is required or differs from its default."""
        layer, name = self.random.choice(self.removable)
        element = layer.data_element or 0
        span = self.document.source_map.locate(Anchor(element, "attribute", name))
        start = len(self.text[: span.start].rstrip())
        return Fault("attribute removed", start, span.end, b"", _own(layer))

    def attribute_text(self) -> Fault:
        layer, name = self.random.choice(self.attributed)
        new = self._garbled(layer.data[name])
        at = frozenset({layer.data_element or 0})
        return self._value(layer.data_element or 0, name, new, "attribute text", at)

    def attribute_number(self) -> Fault:
        """Change a number in an attribute; the model often stays sound."""
        layer, name = self.random.choice(self.attributed)
        parts = layer.data[name].split(",")
        index = self.random.randrange(len(parts))
        if parts[index].strip().lstrip("-").isdigit():
            parts[index] = str(int(parts[index]) + self.random.choice([1, -1, 2, 5, 100]))
            new = ",".join(parts)
        elif layer.data[name] in ("true", "false"):
            new = "false" if layer.data[name] == "true" else "true"
        else:
            new = self._garbled(layer.data[name])
        return self._value(layer.data_element or 0, name, new, "attribute number", _own(layer))

    # -- layers

    def type(self) -> Fault:
        """Misspell a type into one that no operation has; ``IRDFT`` without its first letter is another operation."""
        layer = self.random.choice(self.layers)
        new = self._misspelt(layer.type)
        new = f"{layer.type}x" if _is_known(new, layer.version or "") else new
        return self._value(layer.element, "type", new, "type misspelt", frozenset({layer.element}))

    def version(self) -> Fault:
        """Write an unknown opset, or an opset without this operation."""
        layer = self.random.choice(self.layers)
        wrong = ["opset0", "opset99", "opset", "opst1", "extension", self._misspelt(layer.version or "")]
        new = self.random.choice([version for version in wrong if not _is_known(layer.type, version)])
        return self._value(layer.element, "version", new, "version", frozenset({layer.element}))

    def layer_id(self) -> Fault:
        net = self.random.choice([net for net in self.nets if len(net.layers) > 1])
        layer = self.random.choice(net.layers)
        others = [item.id for item in net.layers if item.id != layer.id]
        new = self.random.choice([self.random.choice(others), str(max(map(int, others)) + 50), f"{layer.id}x"])
        touching = {edge.element for edge in net.edges if layer.id in (edge.from_layer, edge.to_layer)}
        twins = {item.element for item in net.layers if item.id == new}
        at = _own(layer) | touching | twins | self._maps(layer.id)
        return self._value(layer.element, "id", new, "id of a layer", at)

    def port_id(self) -> Fault:
        layer, port = self.random.choice(self.ports)
        new = self.random.choice([str(int(port.id) + 40), f"{port.id}x", ""])
        others = [item.id for item in (layer.inputs if port in layer.inputs else layer.outputs) if item is not port]
        new = self.random.choice(others) if others and self.random.random() < 0.5 else new
        touching = {edge.element for net, edge in self.edges if layer in net.layers and _touches(edge, layer, port)}
        inside = {entry.element for body in layer.bodies for entry in body.port_map}
        return self._value(port.element, "id", new, "id of a port", _own(layer) | touching | inside)

    # -- edges

    def edge_layer(self) -> Fault:
        net, edge = self.random.choice(self.edges)
        name = self.random.choice(["from-layer", "to-layer"])
        new = str(max(int(layer.id) for layer in net.layers) + self.random.randrange(1, 60))
        return self._value(edge.element, name, new, "edge to no layer", frozenset({edge.element}))

    def edge_port(self) -> Fault:
        net, edge = self.random.choice(self.edges)
        name = self.random.choice(["from-port", "to-port"])
        at = self._ends(net, edge)
        return self._value(edge.element, name, str(self.random.randrange(40, 90)), "edge to no port", at)

    def moved_edge(self) -> Fault:
        """Connect an edge to another layer; the model sometimes stays sound."""
        net, edge = self.random.choice(self.edges)
        name = self.random.choice(["from-layer", "to-layer"])
        new = self.random.choice(
            [layer for layer in net.layers if layer.id not in (edge.from_layer, edge.to_layer)] or net.layers
        )
        inlet = (new.id, edge.to_port) if name == "to-layer" else (edge.to_layer, edge.to_port)
        twins = {item.element for item in net.edges if (item.to_layer, item.to_port) == inlet}
        at = self._ends(net, edge) | _own(new) | twins
        return self._value(edge.element, name, new.id, "edge moved", at)

    def removed_edge(self) -> Fault:
        net, edge = self.random.choice(self.edges)
        start = self._start(edge.element)
        end = self.text.index(b">", start) + 1
        return Fault("edge removed", start, end, b"", self._ends(net, edge))

    def doubled_edge(self) -> Fault:
        _, edge = self.random.choice(self.edges)
        start = self._start(edge.element)
        end = self.text.index(b">", start) + 1
        at = frozenset({edge.element, edge.element + 1})
        return Fault("edge doubled", end, end, self.text[start:end], at)

    def edge_name(self) -> Fault:
        _, edge = self.random.choice(self.edges)
        name = self.random.choice(["from-layer", "from-port", "to-layer", "to-port"])
        span = self.document.source_map.locate(Anchor(edge.element, "name", name))
        return Fault("edge attribute", span.start, span.end, self._misspelt(name).encode(), frozenset({edge.element}))

    # -- weights

    def offset(self) -> Fault:
        layer = self.random.choice(self.constants)
        new = self.random.choice([str(10**12), str(2**63), "-1", self._garbled(layer.data["offset"])])
        at = frozenset({layer.data_element or 0})
        return self._value(layer.data_element or 0, "offset", new, "offset", at)

    def moved_offset(self) -> Fault:
        """Write an offset at which a constant overlaps another one."""
        layer, other = self.random.sample(self.filled, 2)
        own, begin, size = int(layer.data["size"]), int(other.data["offset"]), int(other.data["size"])
        taken = {(int(item.data["offset"]), int(item.data["size"])) for item in self.constants}
        places = (begin + 1, begin + size // 2, begin + size - 1, begin - own + 1, begin + size - own // 2)
        sound = [place for place in places if place >= 0 and (place, own) not in taken]
        new = self.random.choice(sound or [int(layer.data["offset"]) + 1])
        at = frozenset({layer.data_element or 0})
        return self._value(layer.data_element or 0, "offset", str(new), "offset moved", at)

    def bytes(self) -> Fault:
        layer = self.random.choice(self.constants)
        old = int(layer.data["size"])
        new = self.random.choice([old + 1, old - 1, 2 * old + 1, old + 4])
        return self._value(layer.data_element or 0, "size", str(new), "size in bytes", _own(layer))

    # -- helpers

    def _start(self, element: int) -> int:
        return self.document.source_map.locate(Anchor(element)).start

    def _text(self, element: int, new: str, kind: str, at: frozenset[int]) -> Fault:
        span = self.document.source_map.locate(Anchor(element, "text"))
        return Fault(kind, span.start, span.end, new.encode(), at)

    def _value(self, element: int, name: str, new: str, kind: str, at: frozenset[int]) -> Fault:
        span = self.document.source_map.locate(Anchor(element, "value", name))
        return Fault(kind, span.start, span.end, new.encode(), at)

    def _ends(self, net: NetElement, edge: EdgeElement) -> frozenset[int]:
        ends = [layer for layer in net.layers if layer.id in (edge.from_layer, edge.to_layer)]
        return frozenset({edge.element}).union(*map(_own, ends))

    def _maps(self, id: str) -> frozenset[int]:
        bodies = [body for layer in self.layers for body in layer.bodies]
        entries = {
            item.element for body in bodies for item in body.port_map if item.attributes["internal_layer_id"] == id
        }
        backs = {item.element for body in bodies for item in body.back_edges if id in (item.from_layer, item.to_layer)}
        return frozenset(entries | backs)

    def _misspelt(self, word: str) -> str:
        """Return a word with one letter dropped, doubled, or swapped with the next."""
        at = self.random.randrange(len(word)) if word else 0
        swapped = word[:at] + word[at + 1 : at + 2] + word[at : at + 1] + word[at + 2 :]
        forms = [word[:at] + word[at + 1 :], word[: at + 1] + word[at:], swapped]
        sound = [form for form in forms if form and form != word and not form[0].isdigit()]
        return self.random.choice(sound or [f"{word}x"])

    def _garbled(self, text: str) -> str:
        """Return a text with a letter inserted at a random place."""
        at = self.random.randrange(len(text) + 1)
        return text[:at] + self.random.choice("xzq") + text[at:]


def _nets(net: NetElement) -> Iterator[NetElement]:
    yield net
    for layer in net.layers:
        for body in layer.bodies:
            yield from _nets(body.net)


def _attributes(layer: LayerElement) -> Iterator[str]:
    """Yield the attributes of a layer that its operation reads, except free text."""
    specs = {spec.name: spec for spec in resolve(layer.type, layer.version).spec.attributes}
    for name in layer.data:
        if name in specs and (specs[name].kind not in ("string", "strings")):
            yield name


def _is_at_default(layer: LayerElement, name: str) -> bool:
    """Return True if the layer has the same meaning without an attribute."""
    spec = resolve(layer.type, layer.version).spec.attribute(name)
    if spec is None or spec.required:
        return False
    absent = spec.default if spec.openvino is REQUIRED else spec.openvino
    return bool(spec.parse(layer.data[name]) == absent)


def _is_known(type: str, version: str) -> bool:
    try:
        resolve(type, version)
    except OpError:
        return False
    return True


def _of(port: PortElement) -> frozenset[int]:
    return frozenset({port.element, *port.dim_elements})


def _own(layer: LayerElement) -> frozenset[int]:
    """Return the elements of a layer that are not inside its bodies."""
    ports = (element for port in (*layer.inputs, *layer.outputs) for element in _of(port))
    bodies = {body.element for body in layer.bodies}
    entries = {entry.element for body in layer.bodies for entry in body.port_map}
    backs = {edge.element for body in layer.bodies for edge in body.back_edges}
    data = {layer.data_element} if layer.data_element is not None else set()
    return frozenset({layer.element, *data, *ports, *bodies, *entries, *backs})


def _touches(edge: EdgeElement, layer: LayerElement, port: PortElement) -> bool:
    return (edge.from_layer, edge.from_port) == (layer.id, port.id) or (edge.to_layer, edge.to_port) == (
        layer.id,
        port.id,
    )


KINDS: Mapping[str, Callable[[Mutator], Fault]] = {
    "dim size": Mutator.size,
    "dim text": Mutator.unreadable_size,
    "dim removed": Mutator.removed_dim,
    "dim added": Mutator.added_dim,
    "precision": Mutator.precision,
    "precision misspelt": Mutator.unknown_precision,
    "attribute name": Mutator.attribute_name,
    "attribute removed": Mutator.removed_attribute,
    "attribute text": Mutator.attribute_text,
    "attribute number": Mutator.attribute_number,
    "type misspelt": Mutator.type,
    "version": Mutator.version,
    "id of a layer": Mutator.layer_id,
    "id of a port": Mutator.port_id,
    "edge to no layer": Mutator.edge_layer,
    "edge to no port": Mutator.edge_port,
    "edge moved": Mutator.moved_edge,
    "edge removed": Mutator.removed_edge,
    "edge doubled": Mutator.doubled_edge,
    "edge attribute": Mutator.edge_name,
    "offset": Mutator.offset,
    "offset moved": Mutator.moved_offset,
    "size in bytes": Mutator.bytes,
}
PORTS = tuple(kind for kind in KINDS if kind.startswith(("dim", "precision")))
