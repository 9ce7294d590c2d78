"""Writes an IR: layers one by one, constants into the weights file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from irrun.document.content import Content
from irrun.document.original import Original
from irrun.document.records import (
    BackEdgeElement,
    BodyElement,
    EdgeElement,
    InfoElement,
    LayerElement,
    MapElement,
    NetElement,
    PortElement,
)
from irrun.document.rendering import entry_lines, net_lines, noted, quoted
from irrun.document.replacing import replacing, write_through
from irrun.tensor import Array, ElementType, Fact, Shape
from irrun.tensor.storing import pack
from irrun.tensor.strings import pack_strings


class IrFile(NamedTuple):
    """The two files of a model before they are written.

    ``notes`` are the entries of the ``<rt_info>`` of the net, None for those of the ``original`` file.
    """

    net: NetElement
    content: Content
    notes: Sequence[InfoElement] | None = ()
    original: Original | None = None

    @property
    def text(self) -> str:
        """The content of the .xml."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield '<?xml version="1.0"?>'
        head = "" if self.original is None else self.original.head
        yield f'<net name={quoted(self.net.name)} version="{self.net.version}"{head}>'
        yield from net_lines(self.net, self.original)
        rest = [] if self.original is None else self.original.rest
        if self.notes is None and self.original is not None:
            rest = [self.original.notes, *rest] if self.original.notes else rest
            yield from (f"\t{text}" for text in rest or ["<rt_info />"])
        else:
            inside = [line for entry in self.notes or () for line in entry_lines(entry, "\t\t")]
            yield from ("\t<rt_info>", *inside, "\t</rt_info>") if inside else ("\t<rt_info />",)
            yield from (f"\t{text}" for text in rest)
        yield from ("</net>", "")

    @property
    def weights(self) -> bytes:
        """The content of the .bin."""
        return self.content.whole()

    def save(self, path: Path, weights: Path | None = None) -> None:
        """Write the .xml and the .bin, which is beside it by default. Neither is replaced before both are written."""
        with replacing(path) as xml, replacing(weights or path.with_suffix(".bin")) as binary:
            write_through(path, xml, self.text.encode())
            self.content.write(binary)

    def save_xml(self, path: Path) -> None:
        """Write the .xml alone."""
        with replacing(path) as xml:
            write_through(path, xml, self.text.encode())


class Handle(NamedTuple):
    """An output port of a written layer, with its declared fact."""

    layer: int
    port: int
    fact: Fact


class WrittenBody(NamedTuple):
    """A sub-graph with the attributes of the ``<input>`` and ``<output>`` entries of its port map."""

    writer: Writer
    inputs: Sequence[Mapping[str, object]]
    outputs: Sequence[Mapping[str, object]]
    back_edges: Sequence[tuple[int, int]] = ()


class Writer:
    """Builds the text and the weights of an IR in the layout that OpenVINO writes.

    >>> ir = Writer("net")
    >>> x = ir.parameter("x", F32, Shape([1, 3]))
    >>> (y,) = ir.layer("ReLU", "opset1", [x], [Fact(F32, Shape([1, 3]))])
    >>> ir.result(y)
    >>> ir.save(Path("net.xml"))
    """

    def __init__(self, name: str, version: str = "11", notes: Mapping[str, object] | None = None) -> None:
        self.name = name
        self.version = version
        self.notes: Mapping[str, object] = notes or {}
        self._layers: list[LayerElement] = []
        self._edges: list[EdgeElement] = []
        self._content = Content()

    def body(self) -> Writer:
        """Return a writer for a sub-graph, which shares the weights file."""
        inner = Writer(self.name)
        inner._content = self._content
        return inner

    def parameter(self, name: str, type: ElementType, shape: Shape) -> Handle:
        """Add a Parameter layer; its output has the tensor name ``name``."""
        text = "..." if shape.dims is None else ",".join(map(str, shape))
        return self.layer(
            "Parameter",
            "opset1",
            [],
            [Fact(type, shape)],
            {"shape": text, "element_type": type.name},
            name=name,
            names=[name],
        )[0]

    def constant(self, values: Array, type: ElementType, name: str = "", names: Sequence[str] = ()) -> Handle:
        """Add a Const layer; equal values share one range of the weights."""
        data = stored(values, type)
        attributes = {
            "element_type": type.name,
            "shape": ", ".join(map(str, values.shape)),
            "offset": str(self._content.add(data)),
            "size": str(len(data)),
        }
        return self.layer("Const", "opset1", [], [Fact(type, Shape(values.shape))], attributes, name=name, names=names)[
            0
        ]

    def layer(
        self,
        type: str,
        version: str,
        inputs: Sequence[Handle],
        outputs: Sequence[Fact],
        attributes: Mapping[str, str] | None = None,
        *,
        name: str = "",
        names: Sequence[str] = (),
        bodies: Mapping[str, WrittenBody] | None = None,
    ) -> list[Handle]:
        """Add a layer. ``outputs`` are the declared facts of its output ports, ``names`` their tensor names."""
        id, count = len(self._layers), len(inputs)
        ports = [port(str(index), source.fact) for index, source in enumerate(inputs)]
        known = [*names, *[""] * (len(outputs) - len(names))]
        made = [port(str(count + index), fact, known[index] or None) for index, fact in enumerate(outputs)]
        inner = tuple(_body(tag, body) for tag, body in (bodies or {}).items())
        data, called = attributes or {}, name or f"{type}_{id}"
        layer = LayerElement(-1, str(id), called, type, version, None, data, None, tuple(ports), tuple(made), inner)
        self._layers.append(layer)
        for index, source in enumerate(inputs):
            self._edges.append(EdgeElement(-1, str(source.layer), str(source.port), str(id), str(index)))
        return [Handle(id, count + index, fact) for index, fact in enumerate(outputs)]

    def result(self, source: Handle, name: str = "") -> int:
        """Add a Result layer, an output of the model; return its id."""
        self.layer("Result", "opset1", [source], [], name=name)
        return self.last

    @property
    def last(self) -> int:
        """The id of the layer that was added last."""
        return len(self._layers) - 1

    @property
    def net(self) -> NetElement:
        """The layers and edges so far."""
        return NetElement(-1, self.name, self.version, tuple(self._layers), tuple(self._edges))

    @property
    def _file(self) -> IrFile:
        return IrFile(self.net, self._content, [noted(key, value) for key, value in self.notes.items()])

    @property
    def text(self) -> str:
        """The content of the .xml."""
        return self._file.text

    @property
    def weights(self) -> bytes:
        """The content of the .bin."""
        return self._file.weights

    def save(self, path: Path, weights: Path | None = None) -> None:
        """Write the .xml and the .bin, which is beside it by default. Neither is replaced before both are written."""
        self._file.save(path, weights)


def port(id: str, fact: Fact, names: str | None = None) -> PortElement:
    """Return the element of a port with the type and the shape of a fact."""
    dims = tuple(str(dim.lo if dim.is_static else -1) for dim in fact.shape.dims or ())
    return PortElement(-1, id, fact.type.precision, names, dims)


def stored(values: Array, type: ElementType) -> bytes:
    """Return the bytes of a constant in the weights file, at least one."""
    data = pack_strings(values) if type.kind == "string" else pack(values.reshape(-1), type.name)
    return data or b"\0"


def _body(tag: str, body: WrittenBody) -> BodyElement:
    entries = [("input", entry) for entry in body.inputs] + [("output", entry) for entry in body.outputs]
    maps = (MapElement(-1, kind, {key: str(value) for key, value in entry.items()}) for kind, entry in entries)
    edges = (BackEdgeElement(-1, str(a), str(b)) for a, b in body.back_edges)
    return BodyElement(-1, tag, body.writer.net, tuple(maps), tuple(edges))
