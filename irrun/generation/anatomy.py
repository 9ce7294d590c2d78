"""Parts of a language model: the axes along which its caches grow, and the rows of its embedding."""

from __future__ import annotations

from typing import Final

from irrun.graph import Graph, Outlet
from irrun.model import Loaded

_READING: Final = frozenset({"Convert", "Gather"})
"""Operations between a variable and the Concat that extends it: the order of beams, another element type."""


def variable_axes(model: Loaded) -> dict[str, int | None]:
    """Return the variables of a model with the axis along which each grows; None for one that is replaced.

    A variable grows if a Concat of the value that was read and a new part is assigned to it.
    """
    graph = model.graph
    found: dict[str, int | None] = {}
    for node in graph.ordered():
        if node.type == "ReadValue":
            found.setdefault(str(getattr(node.op, "variable_id", "")), None)
        elif node.type == "Assign":
            name = str(getattr(node.op, "variable_id", ""))
            found[name] = _axis(model, graph.sources(node.id)[0], name)
    return found


def _axis(model: Loaded, source: Outlet | None, name: str) -> int | None:
    graph = model.graph
    source = _before(graph, source, {"Convert"})
    if source is None or graph.node(source.node).type != "Concat":
        return None
    fact, concat = model.facts.get(source), graph.node(source.node)
    past = _before(graph, graph.sources(concat.id)[0], _READING)
    held = None if past is None else graph.node(past.node)
    if fact is None or fact.rank is None or held is None or held.type != "ReadValue":
        return None
    return int(getattr(concat.op, "axis", 0)) % fact.rank if getattr(held.op, "variable_id", "") == name else None


def embedding_rows(model: Loaded) -> int | None:
    """Return the number of rows of the table from which ``input_ids`` picks; None where there is no such table."""
    graph = model.graph
    for node in graph.ordered():
        if node.type != "Gather":
            continue
        data, indices = graph.sources(node.id)[:2]
        indices = _before(graph, indices, {"Convert"})
        fact = None if data is None else model.facts.get(data)
        picker = None if indices is None else graph.node(indices.node)
        if picker is None or picker.type != "Parameter" or fact is None or fact.rank != 2 or fact.shape.dims is None:
            continue
        names = (picker.name, *(name for names in picker.names for name in names))
        if "input_ids" in names and fact.shape.dims[0].is_static:
            return fact.shape.dims[0].lo
    return None


def _before(graph: Graph, source: Outlet | None, passed: frozenset[str] | set[str]) -> Outlet | None:
    """Return the first output before others of some types, along their first inputs."""
    while source is not None and graph.node(source.node).type in passed:
        source = graph.sources(source.node)[0]
    return source
