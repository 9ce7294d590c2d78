"""The states of models as outputs, so that they are compared like these."""

from __future__ import annotations

from collections.abc import Mapping

from irrun.debugging.cutting import model_of
from irrun.editing import MutableGraph
from irrun.graph import Graph, Outlet
from irrun.model import Loaded
from irrun.openvino.nodes.records import record_of
from irrun.ops._declared.infrastructure.result import Result


def with_states(model: Loaded, other: Loaded) -> tuple[Loaded, Loaded]:
    """Return two models with outputs ``state NAME``, what they assign to the variables that both have.

    A model without such variables is returned as it is.
    """
    mine, its = _assigned(model.graph), _assigned(other.graph)
    shared = [name for name in mine if name in its]
    return _given_out(model, {name: mine[name] for name in shared}), _given_out(other, {n: its[n] for n in shared})


def _assigned(graph: Graph) -> dict[str, int]:
    """Return the layers that assign variables, by their names."""
    return {str(getattr(node.op, "variable_id", "")): node.id for node in graph.ordered() if node.type == "Assign"}


def _given_out(model: Loaded, assigned: Mapping[str, int]) -> Loaded:
    if not assigned:
        return model
    graph = MutableGraph(model.graph, model.facts, model.weights)
    added = []
    for name, id in assigned.items():
        tensor = f"state {name}"
        graph.update(graph.node(id)._replace(names=((tensor,),)))
        added.append(graph.add(record_of(Result(), tensor, 0), [Outlet(id, 0)]))
    ends = graph.graph.ends
    graph.graph.ends = ends._replace(results=(*(id for id in ends.results if id not in added), *added))
    return model_of(model, *graph.freeze())
