"""Refuse a graph with a needed layer that cannot run, before it is optimised or planned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from irrun.diagnostics import Anchor, Diagnostic, IRError, Severity
from irrun.document.places import at_layer, layer_ref, op_diagnostic
from irrun.graph import Graph, Node, Outlet
from irrun.graph.faults import UnconnectedInput
from irrun.inference import Facts
from irrun.ops.extension import Extension
from irrun.ops.registry import LATEST
from irrun.runtime.budget import Budget, OverBudget
from irrun.runtime.faults import LayerOfAnExtension, LayerThatCannotRun, OversizedTensor, ResultThatFeeds

_MOST_BYTES: Final = 1 << 63


def sound(graph: Graph, facts: Facts, memory: int | None = None) -> Graph:
    """Return the graph without the nodes that no Result and no variable depends on.

    Parameters stay. IRError if a needed node has no operation, no facts, an input without an edge, or an output that no
    memory can hold; also if a constant must be computed that takes more than ``memory`` bytes.
    """
    needed = graph.dependencies(_known(graph, facts))
    faults = list(_faults(graph, facts, needed))
    if memory is not None and not faults:
        faults += _too_large(graph, facts, needed, memory)
    if faults:
        raise IRError(faults)
    dead = set(graph).difference(graph.dependencies())
    return graph.without(dead) if dead else graph


def stays_sound(before: Facts, after: Facts, changed: Iterable[Outlet]) -> bool:
    """Return whether a graph that is sound for some facts is sound for others, which differ in some outlets only.

    False where `sound` has to look, as into bodies with other facts.
    """
    if any(after.bodies.get(key) is not facts for key, facts in before.bodies.items()):
        return False
    for outlet in changed:
        old, new = before.of.get(outlet), after.of.get(outlet)
        if old is None or new is None or old.is_constant is not new.is_constant or new.least_bytes >= _MOST_BYTES:
            return False
    return True


def _known(graph: Graph, facts: Facts) -> set[int]:
    """Return the nodes whose values inference knows."""
    inner = [(node.id, facts.outlets(node.id)) for node in graph.ordered() if node.inputs]
    return {id for id, outlets in inner if outlets and not [item for item in outlets if facts[item].constant is None]}


def _faults(graph: Graph, facts: Facts, needed: set[int]) -> Iterator[Diagnostic]:
    ends = set(graph.results)
    extensions: list[Node] = []
    for id in sorted(needed):
        node = graph.node(id)
        sources = graph.sources(id)
        if [source for source in sources if source is not None and source.node in ends]:
            yield at_layer(ResultThatFeeds(), node.layer)
            continue
        if id in ends:
            if not sources or sources[0] is None:
                yield at_layer(UnconnectedInput(), node.layer)
            continue
        outlets = facts.outlets(id)
        if node.op is None or len(outlets) < max(node.outputs, 1) or _lacks_input(node, sources):
            yield at_layer(LayerThatCannotRun(what="the layer cannot be run"), node.layer)
            continue
        if isinstance(node.op, Extension):
            extensions.append(node)
        for outlet in outlets:
            if facts[outlet].least_bytes >= _MOST_BYTES:
                yield at_layer(OversizedTensor(what=f"{facts[outlet]} takes 2^63 bytes or more"), node.layer)
        for tag, body in node.bodies.items():
            inner = facts.bodies.get((id, tag))
            if inner is not None:
                required = body.graph.dependencies(_known(body.graph, inner))
                yield from _failures(body.graph, inner, required)
                yield from _faults(body.graph, inner, required)
    if extensions:
        yield _not_implemented(extensions)


def _failures(graph: Graph, facts: Facts, needed: set[int]) -> Iterator[Diagnostic]:
    """Yield the findings about needed layers of a body in earlier passes: in the last one, they may have facts."""
    layers = {layer_ref(node.layer) for id in needed if (node := graph.node(id)).layer is not None}
    yield from (item for item in facts.diagnostics if item.layer in layers and item.severity is Severity.ERROR)


def _too_large(graph: Graph, facts: Facts, needed: set[int], memory: int) -> Iterator[Diagnostic]:
    """Yield a finding for the first constant layer that exceeds the budget when the model is planned."""
    constant: set[int] = set()
    parameters = set(graph.parameters)
    for node in graph.ordered():
        sources = graph.sources(node.id)
        asks = () if node.op is None else node.op.spec.run_asks
        if node.id not in needed or node.id in parameters or not {"facts"}.issuperset(asks):
            continue
        if [source for source in sources if source is not None and source.node not in constant]:
            continue
        constant.add(node.id)
        large = [facts[outlet] for outlet in facts.outlets(node.id) if facts[outlet].least_bytes > memory]
        if large:
            try:
                Budget(memory).check_memory(large[0].least_bytes, f"{large[0]} takes")
            except OverBudget as error:
                yield op_diagnostic(error, node.layer)
                return


def _lacks_input(node: Node, sources: tuple[Outlet | None, ...]) -> bool:
    assert node.op is not None
    required = len([port for port in node.op.inputs if not port.optional and not port.variadic])
    return len(sources) < required or None in sources[:required]


def _not_implemented(nodes: Sequence[Node]) -> Diagnostic:
    """Return a single finding, about the first of several extensions."""
    operations = [node.op for node in nodes if isinstance(node.op, Extension)]
    known = f"operations of opset1 to opset{LATEST}, or those that --extension or add_extension names"
    what = f"{operations[0].origin.statement}, which irrun cannot run; expected {known}"
    others = ", ".join(dict.fromkeys(op.layer_type for op in operations[1:]))
    more = f"{len(nodes) - 1} more layer{'s are' if len(nodes) > 2 else ' is'} of extensions: {others}"
    layer = nodes[0].layer
    assert layer is not None
    anchor = Anchor(layer.element, "attribute", "type")
    return LayerOfAnExtension(what=what).at(anchor, layer_ref(layer), notes=(more,) if others else ())
