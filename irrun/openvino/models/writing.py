"""Writes the graph of a model as layers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from irrun.diagnostics import IRError
from irrun.document.weights import Weights, WeightsOutOfRange
from irrun.document.writer import Handle, Writer, WrittenBody
from irrun.graph import Body, Graph, Node, Outlet
from irrun.inference import Facts
from irrun.model import Loaded
from irrun.openvino.models.ends import interface_names
from irrun.openvino.models.halves import as_half, is_quantised
from irrun.openvino.nodes.records import held
from irrun.openvino.values.rt_info import RTMap, plain, text
from irrun.ops.context import BodyInput, BodyOutput
from irrun.ops.infrastructure.const import Const
from irrun.tensor import Fact
from irrun.tensor.element_type import F16


def written(value: Loaded, name: str, notes: RTMap, *, halves: bool = False, version: str = "11") -> Writer:
    """Return the layers and weights of a model.

    RuntimeError where values of constants are not known, IRError where faults leave a layer without inputs.
    """
    kept = text({key: plain(item) for key, item in notes.items() if not (key == "version" and not plain(item))})
    writer = Writer(name, version, kept)
    try:
        halves = halves and not is_quantised(value.bound.graph)
        _Saving(writer, value.weights, halves).graph(value.bound.graph, value.facts, interface_names(value))
        value.weights.check()
    except WeightsOutOfRange as error:
        raise RuntimeError(f"the model is not saved: {error}") from None
    except LookupError:
        if not value.diagnostics:
            raise RuntimeError("the model is not saved: it has an edge from an output that no layer has") from None
        raise IRError(value.diagnostics, value.filename) from None
    return writer


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
            return [self._constant(node, known, names)]
        if node.type == "Result":
            return [Handle(writer.result(sources[0], node.name), 0, known[0] if known else Fact.unknown())]
        bodies = {tag: self._body(body, facts.bodies[node.id, tag], len(sources)) for tag, body in node.bodies.items()}
        declared = known or [Fact.unknown()] * node.outputs
        attributes = _attributes(node, declared)
        return writer.layer(
            node.type, node.version, sources, declared, attributes, name=node.name, names=names, bodies=bodies
        )

    def _constant(self, node: Node, known: list[Fact], names: list[str]) -> Handle:
        fact = known[0] if known else held(node, self.weights.read).op.fact  # type: ignore[union-attr]
        values = fact.constant
        if values is None:
            raise RuntimeError(f'the values of constant "{node.name}" are not known: there is no file of weights')
        compressed = as_half(fact) if self.halves else None
        if compressed is None or compressed.constant is None:
            return self.writer.constant(values, fact.type, node.name, names)
        half = self.writer.constant(compressed.constant, F16, f"{node.name}_compressed")
        outputs = [Fact(fact.type, fact.shape)]
        data = {"destination_type": fact.type.name}
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
    texts = getattr(node.op, "texts", None)
    if texts is not None:
        return dict(texts())
    if node.layer is not None and node.layer.data:
        return dict(node.layer.data)
    op = node.op
    if op is None:
        return {}
    values = {item.name: (item, getattr(op, item.field)) for item in op.spec.attributes}
    return {name: item.text(value) for name, (item, value) in values.items() if value is not None and "." not in name}


def _joined(names: Any) -> str:
    return ",".join(name.replace(",", "\\,") for name in sorted(names))
