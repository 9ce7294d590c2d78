"""The nets of a file, of the model and its bodies, with the facts inferred in each."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeVar

from irrun.diagnostics import Severity
from irrun.document.records import LayerElement
from irrun.graph import Graph, Node, Outlet
from irrun.inference import Facts
from irrun.linter.context import Context
from irrun.tensor import Fact

T = TypeVar("T")

ENDS: Final = frozenset({"Result", "Assign"})
"""The types of layers for whose sake a net is computed."""

LARGE: Final = 1 << 27
"""The least number of elements of a large tensor: 1 GiB at 64 bits each."""


def once(function: Callable[[Context], T]) -> Callable[[Context], T]:
    """Cache the result of a function of the context in the context."""
    name = f"{function.__module__}.{function.__name__}"

    @functools.wraps(function)
    def remembered(context: Context) -> T:
        known: dict[str, T] = vars(context)
        if name not in known:
            known[name] = function(context)
        return known[name]

    return remembered


class Scope(NamedTuple):
    """A net. ``facts`` is None where inference did not reach it; ``path`` names the bodies around it."""

    graph: Graph
    facts: Facts | None
    path: tuple[str, ...]


class Placed(NamedTuple):
    """A node of a layer in its net."""

    node: Node
    scope: Scope
    layer: LayerElement

    @property
    def path(self) -> tuple[str, ...]:
        return self.scope.path


class InferredLayer(NamedTuple):
    """A layer with the inferred facts of all its inputs and outputs."""

    node: Node
    inputs: tuple[Fact, ...]
    outputs: tuple[Fact, ...]
    scope: Scope
    layer: LayerElement

    @property
    def path(self) -> tuple[str, ...]:
        return self.scope.path

    def varies(self, *ports: int) -> bool:
        """Return whether one of the inputs is computed at run time; unconnected inputs of a bare layer do not count."""
        graph, facts = self.scope.graph, self.scope.facts
        sources = graph.sources(self.node.id)
        fed = (sources[port] for port in ports if port < len(sources))
        return any(
            outlet is not None
            and graph.node(outlet.node).layer is not None
            and facts is not None
            and facts[outlet].constant is None
            and graph.node(outlet.node).type != "Const"
            for outlet in fed
        )

    def is_constant(self) -> bool:
        """Return whether the layer depends on no Parameter and no variable."""
        return self.node.id in constant_nodes(self.scope.graph)

    def before(self, port: int) -> tuple[str, tuple[Fact | None, ...]]:
        """Return the type of the layer that computes an input, and the facts of its inputs."""
        graph, facts = self.scope.graph, self.scope.facts
        outlet = next(iter(graph.sources(self.node.id)[port:]), None)
        if outlet is None or facts is None:
            return "", ()
        return graph.node(outlet.node).type, tuple(facts.get(item) for item in graph.sources(outlet.node))


@once
def scopes(context: Context) -> Sequence[Scope]:
    """Return the net of the model, followed by those of its bodies."""
    return tuple(_inside(Scope(context.bound.graph, context.facts, ())))


@once
def by_type(context: Context) -> Mapping[str, Sequence[Placed]]:
    """Return the layers of each type in topological order, including those in bodies."""
    found: dict[str, list[Placed]] = {}
    for scope in scopes(context):
        for node in scope.graph.ordered():
            if node.layer is not None:
                found.setdefault(node.type, []).append(Placed(node, scope, node.layer))
    return found


def inferred_layers(context: Context, *types: str) -> Iterator[InferredLayer]:
    """Yield the layers of some types whose inputs and outputs all have facts."""
    for type in types:
        for node, scope, _ in by_type(context).get(type, ()):
            item = inferred(node, scope)
            if item is not None:
                yield item


@once
def remarkable(context: Context) -> Sequence[InferredLayer]:
    """Return the layers with an output that is empty, of unknown rank, or large."""
    found: dict[tuple[int, int], InferredLayer] = {}
    for number, scope in enumerate(scopes(context)):
        for outlet, fact in scope.facts.of.items() if scope.facts is not None else ():
            dims = fact.shape.dims
            if dims is not None and math.prod([dim.hi for dim in dims]) > 0 and math.prod([d.lo for d in dims]) < LARGE:
                continue
            item = inferred(scope.graph.node(outlet.node), scope)
            if item is not None:
                found[number, outlet.node] = item
    return tuple(found.values())


def constant_nodes(graph: Graph) -> set[int]:
    """Return the nodes that depend on no Parameter and no variable."""
    open_nodes = [
        node.id for node in graph.ordered() if node.type in ("Parameter", "ReadValue") or None in graph.sources(node.id)
    ]
    return set(graph.topological_order).difference(graph.downstream(open_nodes))


@once
def unread(context: Context) -> Sequence[Placed]:
    """Return the layers, except Result and Assign, whose outputs nothing reads."""
    found = []
    for scope in scopes(context):
        sources = [scope.graph.sources(node.id) for node in scope.graph.ordered()]
        read = {outlet.node for outlets in sources for outlet in outlets if outlet is not None}
        if len(read) < len(sources):
            idle = [node for node in scope.graph.ordered() if node.id not in read and node.type not in ENDS]
            found += [Placed(node, scope, node.layer) for node in idle if node.layer is not None]
    return found


def inferred(node: Node, scope: Scope) -> InferredLayer | None:
    """Return a node with its facts; None where one of them is not known, and for a node without a layer."""
    if node.layer is None or scope.facts is None:
        return None
    inputs = [fact for outlet in scope.graph.sources(node.id) if (fact := scope.facts.get(outlet)) is not None]
    outputs = tuple(_outputs(node, scope.facts.of))
    if not outputs or len(inputs) < len(scope.graph.sources(node.id)):
        return None
    return InferredLayer(node, tuple(inputs), outputs, scope, node.layer)


def _outputs(node: Node, known: Mapping[Outlet, Fact]) -> Iterator[Fact]:
    for port in range(node.outputs):
        fact = known.get(Outlet(node.id, port))
        if fact is None:
            return
        yield fact


def _inside(scope: Scope) -> Iterator[Scope]:
    yield scope
    for node in scope.graph.ordered():
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
    """Return whether the file is a whole model without errors in its structure, so that a missing part is a fault."""
    found = (*context.document.diagnostics, *context.bound.diagnostics)
    return not context.document.fragment and not any(
        item.severity is Severity.ERROR and "structure" in context.broken_by(item.code) for item in found
    )
