"""The nets of a file, that of the model and those of its bodies, with what is inferred inside each."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeVar

from irrun.diagnostics import Severity
from irrun.graph import Graph, Node, Outlet
from irrun.inference import Facts
from irrun.linter.context import Context
from irrun.tensor import Fact

T = TypeVar("T")

ENDS: Final = frozenset({"Result", "Assign"})
"""The layers that a net is computed for."""

LARGE: Final = 1 << 27
"""The number of elements, at least, of a tensor that is worth a look: 1 GiB where an element takes 64 bits."""


def once(function: Callable[[Context], T]) -> Callable[[Context], T]:
    """The function, computed once for each context however many rules ask for it, and kept with the context."""
    name = f"{function.__module__}.{function.__name__}"

    @functools.wraps(function)
    def remembered(context: Context) -> T:
        known: dict[str, T] = vars(context)
        if name not in known:
            known[name] = function(context)
        return known[name]

    return remembered


class Scope(NamedTuple):
    """A net. ``facts`` is None where nothing is inferred of it; ``path`` leads to the body that it is, in words."""

    graph: Graph
    facts: Facts | None
    path: tuple[str, ...]


class Made(NamedTuple):
    """A layer that inference understood, with the facts of its inputs and of its outputs."""

    node: Node
    inputs: tuple[Fact, ...]
    outputs: tuple[Fact, ...]
    scope: Scope


@once
def scopes(context: Context) -> Sequence[Scope]:
    """The net of the model, and after it those of the bodies."""
    return tuple(_inside(Scope(context.bound.graph, context.facts, ())))


@once
def by_type(context: Context) -> Mapping[str, Sequence[tuple[Node, Scope]]]:
    """The layers of each type, in topological order, bodies included."""
    found: dict[str, list[tuple[Node, Scope]]] = {}
    for scope in scopes(context):
        for node in scope.graph:
            if node.layer is not None:
                found.setdefault(node.type, []).append((node, scope))
    return found


def made(context: Context, *types: str) -> Iterator[Made]:
    """The layers of some types of which all inputs and the outputs are inferred."""
    for type in types:
        for node, scope in by_type(context).get(type, ()):
            item = _made(node, scope)
            if item is not None:
                yield item


@once
def remarkable(context: Context) -> Sequence[Made]:
    """The layers that make a tensor without elements, of unknown rank, or of a large number of elements."""
    found: dict[tuple[int, int], Made] = {}
    for number, scope in enumerate(scopes(context)):
        for outlet, fact in scope.facts.of.items() if scope.facts is not None else ():
            dims = fact.shape.dims
            if dims is not None and math.prod([dim.hi for dim in dims]) > 0 and math.prod([d.lo for d in dims]) < LARGE:
                continue
            item = _made(scope.graph[outlet.node], scope)
            if item is not None:
                found[number, outlet.node] = item
    return tuple(found.values())


def constant_nodes(graph: Graph) -> set[int]:
    """The nodes that depend on no Parameter and no variable."""
    found: set[int] = set()
    for node in graph:
        sources = graph.sources(node.id)
        if node.type not in ("Parameter", "ReadValue") and all(
            item is not None and item.node in found for item in sources
        ):
            found.add(node.id)
    return found


@once
def unread(context: Context) -> Sequence[tuple[Node, Scope]]:
    """The layers whose outputs nothing reads though they are neither Result nor Assign."""
    found = []
    for scope in scopes(context):
        sources = [scope.graph.sources(node.id) for node in scope.graph]
        read = {outlet.node for outlets in sources for outlet in outlets if outlet is not None}
        if len(read) < len(sources):
            found += [(node, scope) for node in scope.graph if node.id not in read and node.type not in ENDS]
    return found


def _made(node: Node, scope: Scope) -> Made | None:
    if node.layer is None or scope.facts is None:
        return None
    inputs = [fact for outlet in scope.graph.sources(node.id) if (fact := scope.facts.get(outlet)) is not None]
    outputs = tuple(_outputs(node, scope.facts.of))
    if not outputs or len(inputs) < len(scope.graph.sources(node.id)):
        return None
    return Made(node, tuple(inputs), outputs, scope)


def _outputs(node: Node, known: Mapping[Outlet, Fact]) -> Iterator[Fact]:
    for port in range(node.outputs):
        fact = known.get(Outlet(node.id, port))
        if fact is None:
            return
        yield fact


def _inside(scope: Scope) -> Iterator[Scope]:
    yield scope
    for node in scope.graph:
        for tag, body in node.bodies.items():
            inner = scope.facts.bodies.get((node.id, tag)) if scope.facts is not None else None
            yield from _inside(
                Scope(
                    body.graph,
                    inner,
                    (*scope.path, f'{node.type} "{node.name}" › {tag}'),
                )
            )


@once
def joined(context: Context) -> bool:
    """Whether the file is a model whose layers and edges are as they are meant, so that what is not there is amiss."""
    found = (*context.document.diagnostics, *context.bound.diagnostics)
    return not context.document.fragment and not any(
        item.severity is Severity.ERROR and item.code.startswith(("IR1", "IR20")) for item in found
    )
