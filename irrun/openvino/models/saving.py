"""Writes models as IR files, and as one block of bytes."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import numpy as np

from irrun.document.weights import Weights, WeightsOutOfRange
from irrun.document.writer import Handle, Writer, WrittenBody
from irrun.graph import Body, Graph, Node, Outlet
from irrun.inference import Facts
from irrun.model import Loaded, load
from irrun.openvino.models.model import Model
from irrun.openvino.nodes.constants import held
from irrun.ops.context import BodyInput, BodyOutput
from irrun.ops.infrastructure.const import Const
from irrun.tensor import Fact
from irrun.tensor.element_type import F16, F32

_MAGIC: Final = b"irrun model 1\n"
_HEAD: Final = struct.Struct("<qq")
_COMPRESSED: Final = frozenset({"Convolution", "GroupConvolution", "ConvolutionBackpropData", "MatMul", "Gather"})
"""Layers whose constants are stored in f16 by ``save_model``."""

_LEAST: Final = 16
"""The number of elements from which on a constant is stored in f16."""


def save_model(model: Model, output_model: str | os.PathLike[str], compress_to_fp16: bool = True) -> None:
    """Write an .xml, and the .bin beside it.

    With ``compress_to_fp16`` the f32 weights of products, convolutions and gathers are stored in f16, each followed by
    a Convert.
    """
    if not isinstance(model, Model):
        raise TypeError(f"save_model takes a Model, got {model!r}")
    writer = _written(model, halves=compress_to_fp16)
    path = Path(output_model)
    with _errors_of(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        writer.save(path)


def serialize(model: Model, xml_path: Any, bin_path: Any = "", version: str = "UNSPECIFIED") -> None:
    """Write an .xml and a .bin, to paths or to streams."""
    if version not in ("UNSPECIFIED", "IR_V11"):
        raise RuntimeError(f"version is {version!r}, expected UNSPECIFIED or IR_V11")
    writer = _written(model)
    if isinstance(xml_path, BytesIO):
        xml_path.write(writer.text.encode())
        bin_path.write(writer.weights)
        return
    xml = Path(xml_path)
    weights = Path(bin_path) if bin_path else xml.with_suffix(".bin")
    with _errors_of(xml):
        writer.save(xml, weights)


@contextmanager
def _errors_of(path: Path) -> Iterator[None]:
    """Convert an error of the file system to RuntimeError."""
    try:
        yield
    except OSError as error:
        raise RuntimeError(f"{error.filename or path}: {error.strerror or error}") from error


def to_bytes(model: Model) -> tuple[bytes, bytes]:
    """Return the contents of the .xml and of the .bin."""
    writer = _written(model)
    return writer.text.encode(), writer.weights


def from_bytes(xml: bytes, weights: bytes) -> Model:
    return Model.of(load(xml, weights))


def export(model: Model, name: str) -> bytes:
    """Return a model as one block of bytes."""
    model.friendly_name = name
    xml, weights = to_bytes(model)
    return _MAGIC + _HEAD.pack(len(xml), len(weights)) + xml + weights


def imported(data: bytes) -> Model:
    """Read what ``export`` wrote; RuntimeError for anything else."""
    start = len(_MAGIC) + _HEAD.size
    if not data.startswith(_MAGIC) or len(data) < start:
        raise RuntimeError("the bytes are no exported model of irrun")
    first, second = _HEAD.unpack_from(data, len(_MAGIC))
    if len(data) != start + first + second:
        raise RuntimeError(f"the exported model has {len(data)} bytes, expected {start + first + second}")
    return from_bytes(data[start : start + first], data[start + first :])


def _written(model: Model, *, halves: bool = False) -> Writer:
    if model.value.version == "10":
        _ = model.inputs
    value = model.value
    notes = {key: item for key, item in model.rt_info.items() if not (key == "version" and not item.value)}
    writer = Writer(model.friendly_name, notes={key: item.value for key, item in notes.items()})
    try:
        _Saving(writer, value.weights, halves).graph(value.bound.graph, value.facts, _names(value))
        value.weights.check()
    except WeightsOutOfRange as error:
        raise RuntimeError(f"the model is not saved: {error}") from None
    return writer


def _names(value: Loaded) -> dict[Outlet, frozenset[str]]:
    """Return the tensor names of inputs and outputs."""
    graph, found = value.bound.graph, dict[Outlet, frozenset[str]]()
    for id, port in zip(graph.parameters, value.inputs, strict=True):
        found[Outlet(id, 0)] = port.names
    for id, port in zip(graph.results, value.outputs, strict=True):
        source = next(iter(graph.sources(id)), None)
        if source is not None:
            found[source] = found.get(source, frozenset()) | port.names
    return found


class _Saving:
    """Writes the nodes of a graph as layers."""

    def __init__(self, writer: Writer, weights: Weights, halves: bool) -> None:
        self.writer = writer
        self.weights = weights
        self.halves = halves

    def graph(self, graph: Graph, facts: Facts, names: Mapping[Outlet, frozenset[str]]) -> dict[int, int]:
        """Write a graph; return the ids of its layers by node."""
        handles: dict[Outlet, Handle] = {}
        ids: dict[int, int] = {}
        for node in _in_order(graph):
            sources = [handles[item] for item in graph.sources(node.id) if item is not None]
            known = [facts[outlet] for outlet in facts.outlets(node.id)]
            tensors = [_joined(names.get(Outlet(node.id, port), given)) for port, given in enumerate(node.names)]
            made = self._layer(node, graph, facts, sources, known, tensors)
            ids[node.id] = made[0].layer if made else self.writer.last
            handles.update({Outlet(node.id, port): handle for port, handle in enumerate(made)})
        return ids

    def _layer(
        self, node: Node, graph: Graph, facts: Facts, sources: list[Handle], known: list[Fact], names: list[str]
    ) -> list[Handle]:
        writer = self.writer
        if isinstance(node.op, Const):
            return [self._constant(node, graph, known, names)]
        if node.type == "Result":
            return [Handle(writer.result(sources[0], node.name), 0, known[0] if known else Fact.unknown())]
        bodies = {tag: self._body(body, facts.bodies[node.id, tag], len(sources)) for tag, body in node.bodies.items()}
        declared = known or [Fact.unknown()] * node.outputs
        attributes = _attributes(node, declared)
        return writer.layer(
            node.type, node.version, sources, declared, attributes, name=node.name, names=names, bodies=bodies
        )

    def _constant(self, node: Node, graph: Graph, known: list[Fact], names: list[str]) -> Handle:
        fact = known[0] if known else held(node, self.weights.read).op.fact  # type: ignore[union-attr]
        values = fact.constant
        if values is None:
            raise RuntimeError(f'the values of constant "{node.name}" are not known: there is no file of weights')
        if not (self.halves and _can_be_half(node, graph, fact)):
            return self.writer.constant(values, fact.type, node.name, names)
        half = self.writer.constant(values, F16, f"{node.name}_compressed")
        outputs = [Fact(F32, fact.shape)]
        data = {"destination_type": "f32"}
        return self.writer.layer("Convert", "opset1", [half], outputs, data, name=node.name, names=names)[0]

    def _body(self, body: Body, facts: Facts, inputs: int) -> WrittenBody:
        inner = self.writer.body()
        ids = _Saving(inner, self.weights, self.halves).graph(body.graph, facts, {})
        parameters, results = ([ids[id] for id in ends] for ends in (body.graph.parameters, body.graph.results))
        first = [_entry(item, parameters, 0, "current_iteration") for item in body.ports.inputs]
        second = [_entry(item, results, inputs, "execution_condition") for item in body.ports.outputs]
        edges = [(results[result], parameters[parameter]) for result, parameter in body.ports.back_edges]
        return WrittenBody(inner, first, second, edges)


def _in_order(graph: Graph) -> Iterator[Node]:
    """Yield the nodes in topological order, Parameters and Results in the order of the inputs and outputs."""
    yield from (graph.node(id) for id in graph.parameters)
    ends = {*graph.parameters, *graph.results}
    yield from (node for node in graph.ordered() if node.id not in ends)
    yield from (graph.node(id) for id in graph.results)


def _entry(item: BodyInput | BodyOutput, inner: list[int], first: int, purpose: str) -> dict[str, object]:
    """Return an entry of a port map; ``purpose`` is that of an end without a port of the layer."""
    if item.external is None:
        return {"external_port_id": -1, "internal_layer_id": inner[item.internal], "purpose": purpose}
    entry: dict[str, object] = {"external_port_id": first + item.external, "internal_layer_id": inner[item.internal]}
    if item.axis is not None:
        entry |= {"axis": item.axis, "start": item.start, "end": item.end, "stride": item.stride}
        entry["part_size"] = item.part_size
    return entry


def _attributes(node: Node, facts: list[Fact]) -> dict[str, str]:
    """Return the attributes as written in the file, or in full where no file has them."""
    if node.type == "Parameter":
        dims = facts[0].shape.dims
        shape = "..." if dims is None else ",".join(map(str, dims))
        return {"shape": shape, "element_type": facts[0].type.name}
    if node.layer is not None and node.layer.data:
        return dict(node.layer.data)
    op = node.op
    if op is None:
        return {}
    values = {item.name: (item, getattr(op, item.field)) for item in op.spec.attributes}
    return {name: item.text(value) for name, (item, value) in values.items() if value is not None and "." not in name}


def _can_be_half(node: Node, graph: Graph, fact: Fact) -> bool:
    """Return whether only products and the like consume a constant, whose values f16 can hold."""
    consumers = graph.consumers(Outlet(node.id, 0))
    if fact.type is not F32 or fact.shape.size.lo < _LEAST or not consumers:
        return False
    if not all(graph.node(item.node).type in _COMPRESSED for item in consumers):
        return False
    values = fact.constant
    return values is not None and bool(np.all(np.abs(values) < np.finfo(np.float16).max))


def _joined(names: Any) -> str:
    return ",".join(name.replace(",", "\\,") for name in sorted(names))
