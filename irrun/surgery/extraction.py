"""A piece of a model as a model of its own, and the tensors that reach it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from irrun.editing import Piece, piece
from irrun.graph import Bound, Graph, Outlet
from irrun.graph.graph import PARAMETER, READ_VALUE, RESULT
from irrun.model import InputError, Loaded, build
from irrun.model.layers import find_id
from irrun.surgery.drafts import VERSION, closed, opened
from irrun.tensor import Array


@dataclass(frozen=True, slots=True)
class Extract:
    """A piece of a model.

    ``inputs`` and ``outputs`` are the names of the layers of ``whole``, each with the index of an output, that its
    inputs and outputs stand for, in their order. ``crossings`` say what leads into the piece from outside, and which
    variables it lost.
    """

    model: Loaded
    whole: Loaded
    inputs: tuple[tuple[str, int], ...]
    outputs: tuple[tuple[str, int], ...]
    outlets: tuple[Outlet, ...]
    crossings: tuple[str, ...] = ()


class _States(NamedTuple):
    """The variables of a piece: layers that read those which stay or are cut, and the layers that assign the former."""

    kept: frozenset[int]
    cut: tuple[int, ...]
    sinks: tuple[int, ...]
    lost: tuple[int, ...]


def extract(model: Loaded, begin: Iterable[str] = (), end: Iterable[str] = ()) -> Extract:
    """Return the layers on the paths from some layers to others, these included, as a model.

    Without ``begin`` the piece begins at the inputs of the model, without ``end`` it ends at the outputs. What other
    layers feed becomes an input, unless its value is constant. A variable stays where the piece reads it and computes
    what is assigned; otherwise what is read of it becomes an input. Layers are given by name, tensor name or id;
    InputError for unknown ones, those in bodies, and where no path leads from one to another.
    """
    plain, edited = opened(model)
    whole = plain if edited.graph is plain.graph else closed(edited, plain)
    graph = whole.graph
    starts, ends = ([find_id(whole, key) for key in keys] for keys in (begin, end))
    inside = _between(graph, starts, ends)
    ways_out = list(dict.fromkeys(pair for id in ends or _results(graph, inside) for pair in _made(graph, id)))
    outlets, results = [outlet for outlet, _ in ways_out], [result for _, result in ways_out]
    states = _states(graph, inside)
    cut = [*(_entering(graph, inside) if starts else []), *(Outlet(id, 0) for id in states.cut)]
    kept = [outlet for outlet in cut if outlet.node not in states.kept]
    found = piece(graph, whole.facts, whole.weights, kept, outlets, results, states.sinks)
    bound, name, origin, notes = Bound(found.graph, (), {}), whole.friendly_name, whole.origin, whole.notes
    made = Loaded(bound, found.facts, whole.weights, origin, name=name, version=VERSION, notes=notes)
    first, second = (tuple((graph.node(id).name, port) for id, port in ports) for ports in (found.inputs, outlets))
    return Extract(made, whole, first, second, tuple(found.inputs), _crossings(graph, found, states))


def record(found: Extract, inputs: Mapping[Any, Any]) -> dict[str, Array]:
    """Return the tensors that reach a piece when the whole model runs on ``inputs``, by the names of its inputs."""
    if not found.outlets:
        return {}
    whole = found.whole
    ahead = piece(whole.graph, whole.facts, whole.weights, (), found.outlets)
    model = Loaded(Bound(ahead.graph, (), {}), ahead.facts, whole.weights, version=VERSION)
    names = {port.any_name for port in model.inputs}
    given = {port.any_name: inputs[port.any_name] for port in whole.inputs if port.any_name in names}
    outputs = build(model, {"OPTIMIZE": False}).session().run(given)
    return {port.any_name: outputs[index] for index, port in enumerate(found.model.inputs)}


def _between(graph: Graph, starts: Sequence[int], ends: Sequence[int]) -> set[int]:
    """Return the nodes on the paths from the starts to the ends; InputError where there is none."""
    inside = graph.downstream(starts) if starts else set(graph)
    inside &= graph.upstream(ends or graph.results)
    lost = [id for id in (*starts, *(ends if starts else ())) if id not in inside]
    if lost:
        name = graph.node(lost[0]).name
        side = "begins" if lost[0] in starts else "ends"
        raise InputError(f'no path that {side} at "{name}" is between the layers that are given')
    return inside


def _states(graph: Graph, inside: set[int]) -> _States:
    """Return the variables of a piece. One stays where the piece reads it and computes all that is assigned to it."""
    known = {id: str(getattr(graph.node(id).op, "variable_id", "")) for id in graph}
    assigns = [id for id in graph if graph.node(id).type == "Assign"]
    computed = {id for id in assigns if all(source is None or source.node in inside for source in graph.sources(id))}
    open = {known[id] for id in assigns if id not in computed}
    closed = {known[id] for id in computed} - open
    readers = [id for id in graph.topological_order if graph.node(id).type == READ_VALUE]
    used = [id for id in readers if id in inside or not inside.isdisjoint(graph.successors(id))]
    kept = frozenset(id for id in used if known[id] in closed and (id in inside or _is_initial(graph, id)))
    stay = {known[id] for id in kept}
    sinks = tuple(id for id in assigns if known[id] in stay)
    lost = tuple(id for id in assigns if id in computed and known[id] not in stay)
    return _States(kept, tuple(id for id in used if id in inside and id not in kept), sinks, lost)


def _is_initial(graph: Graph, id: int) -> bool:
    """Return whether the initial value of a variable is zero or constant."""
    return all(source is None or graph.node(source.node).type == "Const" for source in graph.sources(id))


def _crossings(graph: Graph, found: Piece, states: _States) -> tuple[str, ...]:
    """Return what leads into a piece, and the variables that it does not assign any more."""
    lines = []
    for id, _ in found.inputs:
        node = graph.node(id)
        if node.type == READ_VALUE:
            variable = getattr(node.op, "variable_id", "")
            lines.append(f'"{node.name}" becomes an input: variable "{variable}" is assigned outside of the part')
        elif node.type != PARAMETER:
            lines.append(f'"{node.name}" becomes an input')
    for id in states.lost:
        variable = getattr(graph.node(id).op, "variable_id", "")
        lines.append(f'variable "{variable}" is read outside of the part, which does not assign it')
    return tuple(lines)


def _results(graph: Graph, inside: set[int]) -> list[int]:
    return [id for id in graph.results if id in inside]


def _made(graph: Graph, id: int) -> list[tuple[Outlet, int | None]]:
    """Return the outlets that a layer ends a piece with, each with the Result that stays for it, if there is one.

    These are the outlets that other layers read, or all of them.
    """
    node = graph.node(id)
    if node.type == RESULT:
        return [(outlet, id) for outlet in graph.sources(id) if outlet is not None]
    every = [Outlet(id, port) for port in range(node.outputs)]
    if not every:
        raise InputError(f'layer "{node.name}" ({node.type}) has no output, expected a layer that has one')
    found: list[tuple[Outlet, int | None]] = []
    for outlet in [outlet for outlet in every if graph.consumers(outlet)] or every:
        results = [inlet.node for inlet in graph.consumers(outlet) if graph.node(inlet.node).type == RESULT]
        found += [(outlet, result) for result in results] or [(outlet, None)]
    return found


def _entering(graph: Graph, inside: set[int]) -> list[Outlet]:
    """Return the outlets outside that feed layers inside, without those that depend on constants only."""
    constant = _constant(graph)
    return list(
        dict.fromkeys(
            outlet
            for id in graph.topological_order
            if id in inside and graph.node(id).type != PARAMETER
            for outlet in graph.sources(id)
            if outlet is not None and outlet.node not in inside and outlet.node not in constant
        )
    )


def _constant(graph: Graph) -> set[int]:
    """Return the nodes that depend on constants only, such as weights and their decompression."""
    found: set[int] = set()
    for node in graph.ordered():
        sources = [outlet for outlet in graph.sources(node.id) if outlet is not None]
        is_inner = bool(sources) and node.type != READ_VALUE and all(outlet.node in found for outlet in sources)
        if node.type == "Const" or is_inner:
            found.add(node.id)
    return found
