"""A graph in float64: what its results are but for rounding."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from irrun.ops import OpError
from irrun.tensor import Array, ElementType, Fact
from irrun.tensor.element_type import F64
from tests.lab.graphs.evaluate import Evaluator
from tests.lab.graphs.graph import Body, Constant, Graph, Input, Node


def exact_results(graph: Graph, runs: int) -> list[list[Array]] | None:
    """The results of each inference in float64; None where an operation refuses that, or sizes change."""
    try:
        evaluator = Evaluator(in_double(graph))
        return evaluator.results(evaluator.runs(runs))
    except (OpError, ValueError, IndexError):
        return None


def in_double(graph: Graph) -> Graph:
    """The graph with every float tensor as f64. The numbers that it begins with are the same."""
    return Graph(tuple(map(_widened, graph.nodes)), graph.results)


def _widened(node: Node) -> Node:
    if isinstance(node, Input):
        value = None if node.value is None else _array(node.fact.type, node.value)
        return Input(Fact(_type(node.fact.type), node.fact.shape), value)
    if isinstance(node, Constant):
        return Constant(_type(node.type), _array(node.type, node.value))
    types = {spec.field: getattr(node.op, spec.field) for spec in node.op.spec.attributes if spec.kind == "type"}
    wide = {field: _type(type) for field, type in types.items() if isinstance(type, ElementType)}
    bodies = {tag: Body(in_double(body.graph), body.ports) for tag, body in node.bodies.items()}
    return replace(node, op=type(node.op)(**{**vars(node.op), **wide}), bodies=bodies)


def _type(type: ElementType) -> ElementType:
    return F64 if type.is_float else type


def _array(type: ElementType, array: Array) -> Array:
    return np.asarray(array, np.float64) if type.is_float else array
