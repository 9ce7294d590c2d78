"""A graph as an IR, with the names that a converter would give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from irrun.document.writer import Handle, Writer, WrittenBody
from irrun.ops.context import BodyInput, BodyOutput
from irrun.tensor import Fact
from tests.lab.graphs.evaluate import Facts, infer_graph
from tests.lab.graphs.graph import Body, Constant, Graph, Input, Layer, Source
from tests.nets import written


def write(graph: Graph, path: Path, given: Sequence[Fact | None] = ()) -> None:
    """Save the graph. Ports declare what irrun infers; ``given`` replaces what the Parameters declare."""
    writer = Writer("random")
    _fill(writer, graph, infer_graph(graph, given), "")
    writer.save(path)


def _fill(writer: Writer, graph: Graph, facts: Facts, prefix: str) -> tuple[list[int], list[int]]:
    """Write all nodes; returns the ids of the Parameter and of the Result layers."""
    handles: dict[Source, Handle] = {}
    parameters: list[int] = []
    for index, node in enumerate(graph.nodes):
        if isinstance(node, Input):
            fact = facts[Source(index)]
            handle = writer.parameter(f"{prefix}input_{len(parameters)}", fact.type, fact.shape)
            parameters.append(handle.layer)
            handles[Source(index)] = handle
        elif isinstance(node, Constant):
            handles[Source(index)] = writer.constant(node.value, node.type, f"{prefix}Constant_{index}")
        else:
            sources = [handles[source] for source in node.sources]
            outputs = [facts[Source(index, port)] for port in range(node.outputs)]
            for port, handle in enumerate(_layer(writer, node, sources, outputs, f"{prefix}{node.op.type}_{index}")):
                handles[Source(index, port)] = handle
    results = [
        writer.result(handles[source], f"{prefix}Result_{number}") for number, source in enumerate(graph.results)
    ]
    return parameters, results


def _layer(writer: Writer, node: Layer, sources: Sequence[Handle], outputs: Sequence[Fact], name: str) -> list[Handle]:
    bodies = {tag: _body(writer, body, sources, name) for tag, body in node.bodies.items()}
    names = [f"{name}:{port}" if len(outputs) > 1 else name for port in range(len(outputs))]
    attributes = written(node.op)
    return writer.layer(
        node.op.type, node.op.spec.version, sources, outputs, attributes, name=name, names=names, bodies=bodies
    )


def _body(writer: Writer, body: Body, sources: Sequence[Handle], name: str) -> WrittenBody:
    inner = writer.body()
    parameters, results = _fill(inner, body.graph, infer_graph(body.graph), f"{name}/")
    inputs = [
        {
            "external_port_id": -1 if entry.external is None else entry.external,
            "internal_layer_id": parameters[entry.internal],
            **({"purpose": "current_iteration"} if entry.external is None else _cut(entry)),
        }
        for entry in body.ports.inputs
    ]
    outputs = [
        {
            "external_port_id": -1 if entry.external is None else len(sources) + entry.external,
            "internal_layer_id": results[entry.internal],
            **({"purpose": "execution_condition"} if entry.external is None else _cut(entry)),
        }
        for entry in body.ports.outputs
    ]
    edges = [(results[result], parameters[parameter]) for result, parameter in body.ports.back_edges]
    return WrittenBody(inner, inputs, outputs, edges)


def _cut(entry: BodyInput | BodyOutput) -> Mapping[str, object]:
    if entry.axis is None:
        return {}
    return {
        "axis": entry.axis,
        "start": entry.start,
        "end": entry.end,
        "stride": entry.stride,
        "part_size": entry.part_size,
    }
