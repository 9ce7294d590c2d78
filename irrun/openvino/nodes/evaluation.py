"""Compute a single operation from values of its inputs."""

from __future__ import annotations

from collections.abc import Sequence

from irrun.document.weights import Weights
from irrun.graph import Bound, Graph, Outlet
from irrun.graph import Node as Record
from irrun.inference import infer
from irrun.model import Loaded, build
from irrun.openvino.nodes.records import record_of
from irrun.openvino.values.tensor import Tensor
from irrun.ops._declared.infrastructure.parameter import Parameter
from irrun.ops._declared.infrastructure.result import Result
from irrun.tensor import Array, ElementType, Fact, Shape


def evaluated(record: Record, types: Sequence[ElementType], inputs: Sequence[Array]) -> list[Tensor]:
    """Return the outputs of an operation, for inputs of some element types."""
    facts = [Fact(type, Shape(array.shape)) for type, array in zip(types, inputs, strict=True)]
    parameters = [
        record_of(Parameter(element_type=fact.type, shape=fact.shape), f"input{id}")._replace(id=id)
        for id, fact in enumerate(facts, 1)
    ]
    ids = [node.id for node in parameters]
    results = {1 + len(ids) + port: Outlet(0, port) for port in range(record.outputs)}
    ends = [record_of(Result(), f"result{id}")._replace(id=id, inputs=1) for id in results]
    nodes = [*parameters, record._replace(id=0, inputs=len(ids)), *ends]
    sources = {0: [Outlet(id, 0) for id in ids], **{id: [outlet] for id, outlet in results.items()}}
    graph = Graph.of(nodes, sources, ids, results, [])
    weights = Weights(None)
    known = infer(graph, weights, dict(zip(ids, facts, strict=True)))
    outputs = build(Loaded(Bound(graph, (), {}), known, weights))(list(inputs))
    return [Tensor.of_values(array, fact.type) for array, fact in zip(outputs.to_tuple(), known.results(), strict=True)]
