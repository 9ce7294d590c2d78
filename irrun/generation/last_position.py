"""Computes the scores of the last position only: no others are asked for, and a prompt has many positions."""

from __future__ import annotations

import sys
from typing import Final

import numpy as np

from irrun.editing import MutableGraph
from irrun.graph import Graph, Node, Outlet
from irrun.graph.graph import Inlet
from irrun.model import Loaded
from irrun.openvino.nodes.records import constant_fact
from irrun.ops._declared.infrastructure.const import HeldConst
from irrun.ops._declared.movement.slice import Slice
from irrun.tensor import Array

_BETWEEN: Final = frozenset({"Add", "Convert", "Divide", "Multiply", "Tanh"})
"""Operations between the product that gives the scores and the output, which work element by element."""

_POSITIONS: Final = 1
"""The axis of positions."""


def only_last_position(model: Loaded) -> Loaded:
    """Return the model with a Slice of the last position before the product that gives the scores.

    The model itself where it has other outputs, or where its scores are not a product of weights and a tensor of shape
    [texts, tokens, sizes].
    """
    inlet = _product(model)
    if inlet is None:
        return model
    graph = MutableGraph(model.graph, model.facts, model.weights)
    values = np.array([[-1], [sys.maxsize], [1], [_POSITIONS]], np.int64)
    ends = [added_constant(graph, value) for value in values]
    source = graph.sources(inlet.node)[inlet.port]
    node = Node(0, "last position", "Slice", "opset8", Slice(), 5, 1, ((),), None, {})
    graph.connect(Outlet(graph.add(node, [source, *ends]), 0), inlet)
    edited, facts = graph.freeze()
    if facts.diagnostics:
        return model
    name, version = model.friendly_name, model.version
    return Loaded(model.bound._replace(graph=edited), facts, model.weights, model.origin, name=name, version=version)


def added_constant(graph: MutableGraph, value: Array) -> Outlet:
    """Add a constant to a graph and return its output."""
    fact = constant_fact(value)
    node = Node(0, "constant", "Const", "opset1", HeldConst.of(fact), 0, 1, ((),), None, {})
    return Outlet(graph.add(node, [], [fact]), 0)


def _product(model: Loaded) -> Inlet | None:
    """Return the input of the last product that has the positions; None where there is no such product."""
    graph = model.graph
    if len(graph.results) != 1:
        return None
    outlet = graph.sources(graph.results[0])[0]
    while outlet is not None and len(graph.consumers(outlet)) == 1:
        node = graph.node(outlet.node)
        sources = graph.sources(node.id)
        if node.type == "MatMul":
            return _of_positions(model, node.id, sources)
        growing = [source for source in sources if source is not None and not _is_constant(graph, source)]
        if node.type not in _BETWEEN or len(growing) != 1:
            return None
        outlet = growing[0]
    return None


def _of_positions(model: Loaded, id: int, sources: tuple[Outlet | None, ...]) -> Inlet | None:
    data, weights = sources
    if data is None or weights is None or getattr(model.graph.node(id).op, "transpose_a", False):
        return None
    fact, other = model.facts.get(data), model.facts.get(weights)
    is_rows = fact is not None and fact.shape.rank == 3 and other is not None and other.shape.rank == 2
    return Inlet(id, 0) if is_rows else None


def _is_constant(graph: Graph, outlet: Outlet) -> bool:
    """Return whether an output depends on constants only."""
    return not any(graph.node(id).type in ("Parameter", "ReadValue") for id in graph.upstream([outlet.node]))
