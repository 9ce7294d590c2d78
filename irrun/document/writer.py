"""Writes an IR: layers one by one, constants into the weights file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from irrun.document.replacing import replacing, write_through
from irrun.tensor import Array, ElementType, Fact, Shape
from irrun.tensor.storing import pack
from irrun.tensor.strings import pack_strings

_REFERENCES: Final = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
)


def quoted(value: str) -> str:
    """The text of an attribute, in quotes. Python's `xml.sax.saxutils`, which has it too, imports a client for HTTP."""
    return f'"{value.translate(_REFERENCES)}"'


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
        self.notes = notes or {}
        self._layers: list[str] = []
        self._edges: list[str] = []
        self._weights = bytearray()
        self._stored: dict[bytes, int] = {}

    def body(self) -> Writer:
        """Return a writer for a sub-graph, which shares the weights file."""
        inner = Writer(self.name)
        inner._weights, inner._stored = self._weights, self._stored
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
        data = pack_strings(values) if type.kind == "string" else pack(values.reshape(-1), type.name)
        data = data or b"\0"
        if data not in self._stored:
            self._stored[data] = len(self._weights)
            self._weights += data
        attributes = {
            "element_type": type.name,
            "shape": ", ".join(map(str, values.shape)),
            "offset": str(self._stored[data]),
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
        id = len(self._layers)
        lines = [f'\t\t<layer id="{id}" name={quoted(name or f"{type}_{id}")} type="{type}" version="{version}">']
        if attributes:
            pairs = " ".join(f"{key}={quoted(value)}" for key, value in attributes.items())
            lines.append(f"\t\t\t<data {pairs} />")
        for tag, body in (bodies or {}).items():
            lines += _port_map(tag, body)
        if inputs:
            lines.append("\t\t\t<input>")
            for index, source in enumerate(inputs):
                lines += _port(index, source.fact)
                ends = f'from-layer="{source.layer}" from-port="{source.port}" to-layer="{id}" to-port="{index}"'
                self._edges.append(f"\t\t<edge {ends} />")
            lines.append("\t\t\t</input>")
        handles = []
        if outputs:
            lines.append("\t\t\t<output>")
            for index, fact in enumerate(outputs):
                lines += _port(len(inputs) + index, fact, names[index] if index < len(names) else "")
                handles.append(Handle(id, len(inputs) + index, fact))
            lines.append("\t\t\t</output>")
        for tag, body in (bodies or {}).items():
            lines += [f"\t\t\t<{tag}>", *body.writer._inside(), f"\t\t\t</{tag}>"]
        lines.append("\t\t</layer>")
        self._layers.append("\n".join(lines))
        return handles

    def result(self, source: Handle, name: str = "") -> int:
        """Add a Result layer, an output of the model; return its id."""
        self.layer("Result", "opset1", [source], [], name=name)
        return self.last

    @property
    def last(self) -> int:
        """The id of the layer that was added last."""
        return len(self._layers) - 1

    @property
    def text(self) -> str:
        """The content of the .xml."""
        return "\n".join(
            [
                '<?xml version="1.0"?>',
                f'<net name={quoted(self.name)} version="{self.version}">',
                *self._inside(),
                "</net>",
                "",
            ]
        )

    def _inside(self) -> list[str]:
        notes = ["\t<rt_info />"] if not self.notes else _notes("rt_info", self.notes, "\t")
        return ["\t<layers>", *self._layers, "\t</layers>", "\t<edges>", *self._edges, "\t</edges>", *notes]

    @property
    def weights(self) -> bytes:
        """The content of the .bin."""
        return bytes(self._weights)

    def save(self, path: Path, weights: Path | None = None) -> None:
        """Write the .xml and the .bin, which is beside it by default. Neither is replaced before both are written."""
        with replacing(path) as xml, replacing(weights or path.with_suffix(".bin")) as binary:
            write_through(path, xml, self.text.encode())
            binary.write(self._weights)


def _notes(tag: str, notes: Mapping[str, object], indent: str) -> list[str]:
    """Return an element with an element for each entry; texts that are not names of elements become attributes."""
    lines = []
    for key, value in notes.items():
        is_name = re.fullmatch(r"[A-Za-z_][\w.-]*", key) is not None
        head, end = (key, key) if is_name else (f"info name={quoted(key)}", "info")
        if isinstance(value, Mapping):
            inside = _notes(head, value, f"{indent}\t")
            lines += [*inside[:-1], f"{indent}\t</{end}>"]
        else:
            lines.append(f"{indent}\t<{head} value={quoted(str(value))} />")
    return [f"{indent}<{tag}>", *lines, f"{indent}</{tag}>"]


def _port(id: int, fact: Fact, name: str = "") -> list[str]:
    names = f" names={quoted(name)}" if name else ""
    head = f'\t\t\t\t<port id="{id}" precision="{fact.type.precision}"{names}'
    dims = fact.shape.dims
    if not dims:
        return [f"{head} />"]
    body = [f"\t\t\t\t\t<dim>{dim.lo if dim.is_static else -1}</dim>" for dim in dims]
    return [f"{head}>", *body, "\t\t\t\t</port>"]


def _port_map(tag: str, body: WrittenBody) -> list[str]:
    name = tag.replace("body", "port_map")
    lines = [f"\t\t\t<{name}>"]
    for kind, entries in (("input", body.inputs), ("output", body.outputs)):
        for entry in entries:
            pairs = " ".join(f'{key}="{value}"' for key, value in entry.items())
            lines.append(f"\t\t\t\t<{kind} {pairs} />")
    lines.append(f"\t\t\t</{name}>")
    if body.back_edges:
        edges = [f'\t\t\t\t<edge from-layer="{a}" to-layer="{b}" />' for a, b in body.back_edges]
        lines += ["\t\t\t<back_edges>", *edges, "\t\t\t</back_edges>"]
    return lines
