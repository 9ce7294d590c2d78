"""Pieces of a graph, as graphs of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from irrun.document.weights import Weights
from irrun.editing.mutable import EditError, MutableGraph
from irrun.graph import Graph, Node, Outlet
from irrun.graph.graph import PARAMETER, RESULT, GraphEnds
from irrun.inference import Facts
from irrun.ops._declared.infrastructure.const import Const, HeldConst
from irrun.ops._declared.infrastructure.parameter import Parameter
from irrun.ops._declared.infrastructure.result import Result
from irrun.tensor import Fact


class Piece(NamedTuple):
    """A graph cut out of another one.

    ``inputs`` and ``outputs`` are the outlets of the whole graph that its Parameters and Results stand for, in their
    order.
    """

    graph: Graph
    facts: Facts
    inputs: tuple[Outlet, ...]
    outputs: tuple[Outlet, ...]


def piece(
    graph: Graph,
    facts: Facts,
    weights: Weights,
    outlets_from: Sequence[Outlet],
    outlets_to: Sequence[Outlet],
    results: Sequence[int | None] = (),
    sinks: Sequence[int] = (),
) -> Piece:
    """Cut out the layers between some outlets and others.

    Each of ``outlets_from`` that ``outlets_to`` depend on becomes a Parameter with the name of its layer, or a constant
    where inference knows its value. Parameters that are reached otherwise stay, before new ones, as do all constants;
    bodies stay whole. ``results`` are the Results that stay for ``outlets_to``, None for one that is made, and
    ``sinks`` the layers that stay for their effect. EditError where the graph does not have an outlet.
    """
    edited = MutableGraph(graph, facts, weights)
    new = {outlet: _cut(edited, outlet) for outlet in dict.fromkeys(outlets_from)}
    kept = [*results, *[None] * (len(outlets_to) - len(results))]
    pairs = zip(outlets_to, kept, strict=True)
    ends = [_result(edited, new.get(outlet, outlet), outlet) if id is None else id for outlet, id in pairs]
    edited.infer()
    sinks = [*sinks, *_with_variables(edited, (*ends, *sinks))]
    needed = edited.graph.upstream((*ends, *sinks))
    edited.remove(set(edited.graph) - needed)
    made = {outlet.node: source for source, outlet in new.items()}
    begin = (id for id in dict.fromkeys((*graph.parameters, *made)) if id in needed)
    parameters = [id for id in begin if edited.node(id).type == PARAMETER]
    edited.graph.ends = GraphEnds(tuple(parameters), tuple(ends), tuple(sinks))
    cut, known = edited.freeze()
    return Piece(cut, known, tuple(made.get(id, Outlet(id, 0)) for id in parameters), tuple(outlets_to))


def _cut(edited: MutableGraph, outlet: Outlet) -> Outlet:
    """Feed the consumers of an outlet from a new Parameter, or from a constant; return what feeds them."""
    node, fact = _producer(edited, outlet), edited.fact(outlet) or Fact.unknown()
    if isinstance(node.op, Const | Parameter):
        return outlet
    name = node.name if node.outputs == 1 else f"{node.name}.{outlet.port}"
    op = HeldConst.of(fact) if fact.is_constant else Parameter(element_type=fact.type, shape=fact.shape)
    names = node.names[outlet.port] if outlet.port < len(node.names) else ()
    if names:
        kept = (*node.names[: outlet.port], (), *node.names[outlet.port + 1 :])
        edited.update(node._replace(names=kept))
    record = Node(-1, name, op.type, "opset1", op, 0, 1, (names,), None, {})
    made = Outlet(edited.add(record, (), [fact if fact.is_constant else Fact(fact.type, fact.shape)]), 0)
    edited.replace(outlet, made)
    return made


def _result(edited: MutableGraph, outlet: Outlet, named: Outlet) -> int:
    """Add a Result, named after an outlet as OpenVINO names it."""
    name = f"{_producer(edited, named).name}/sink_port_{named.port}"
    return edited.add(Node(-1, name, RESULT, "opset1", Result(), 0, 0, (), None, {}), [outlet])


def _producer(edited: MutableGraph, outlet: Outlet) -> Node:
    if not edited.has(outlet.node) or outlet not in edited.outputs(outlet.node):
        raise EditError(f"there is no output {outlet.port} of node {outlet.node}")
    return edited.node(outlet.node)


def _with_variables(edited: MutableGraph, ends: Sequence[int]) -> list[int]:
    """Return the layers that read the variables which the piece assigns, where nothing else in it needs them."""
    reached = edited.graph.upstream(ends)
    assigned = {_variable(edited, id) for id in reached if edited.node(id).type == "Assign"}
    readers = (id for id in edited.graph if edited.node(id).type == "ReadValue")
    return [id for id in readers if id not in reached and _variable(edited, id) in assigned]


def _variable(edited: MutableGraph, id: int) -> object:
    return getattr(edited.node(id).op, "variable_id", None)
