"""Counts the parameters of a model: the numbers that training finds, without those that quantise them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from irrun.graph import Graph, Outlet
from irrun.graph.graph import Inlet
from irrun.inference import Facts
from irrun.ops._declared.infrastructure.const import Const

_VIEWS: Final = frozenset({"Convert", "Reshape", "Squeeze", "Unsqueeze", "Transpose", "Broadcast", "Gather"})
_SCALING: Final = frozenset({"Multiply", "Subtract", "Divide"})
_LIMITS: Final = frozenset({"FakeQuantize", "FakeConvert"})
"""Operations whose inputs after the first are the limits or the scale of a quantisation."""

_SETTINGS: Final = frozenset(
    {"initial_hidden_state", "initial_cell_state", "H_t", "init_value", "scales", "scales_or_sizes"}
)
"""Inputs, by name, that hold initial states, or factors of sizes."""

_OF_TEXTS: Final = frozenset({"StringTensorPack", "StringTensorUnpack"})
"""Operations, beside those of tokenizers, whose constants are texts: vocabularies, patterns."""


def count_parameters(graph: Graph, facts: Facts) -> int:
    """Return the number of elements of the constants that are parameters, those of bodies once.

    Parameters are floats, or integers below 32 bits, which hold quantised weights. Constants of one element, such as a
    divisor, do not count, nor do scales, zero points and limits of a quantisation, initial states, factors of sizes,
    and the texts of tokenizers.
    """
    total = 0
    for node in graph.ordered():
        op = node.op
        if isinstance(op, Const) and _may_be_parameter(op) and _is_parameter(graph, facts, node.id):
            total += op.shape.size.lo
        for tag, body in node.bodies.items():
            inner = facts.bodies.get((node.id, tag))
            total += count_parameters(body.graph, Facts(body.graph, {}, {}, ()) if inner is None else inner)
    return total


def _may_be_parameter(constant: Const) -> bool:
    kind = constant.element_type
    return constant.shape.size.lo > 1 and (kind.is_float or (kind.is_integer and kind.bits < 32))


def _is_parameter(graph: Graph, facts: Facts, id: int) -> bool:
    uses = list(_uses(graph, Outlet(id, 0)))
    return not uses or not all(_is_setting(graph, facts, *use) for use in uses)


def _uses(graph: Graph, outlet: Outlet) -> Iterator[tuple[Outlet, Inlet]]:
    """Yield the inputs that an outlet feeds, also in another type or shape, each with its outlet."""
    for inlet in graph.consumers(outlet):
        if graph.node(inlet.node).type in _VIEWS and inlet.port == 0:
            yield from _uses(graph, Outlet(inlet.node, 0))
        else:
            yield outlet, inlet


def _is_setting(graph: Graph, facts: Facts, outlet: Outlet, inlet: Inlet) -> bool:
    node = graph.node(inlet.node)
    if node.type in _LIMITS:
        return inlet.port > 0
    if node.type in _SCALING:
        other = graph.sources(node.id)[1 - inlet.port]
        return _is_quantised(graph, facts, other) and (inlet.port == 1 or not _is_quantised(graph, facts, outlet))
    for body in node.bodies.values():
        fed_back = {parameter for _, parameter in body.ports.back_edges}
        inner = [entry.internal for entry in body.ports.inputs if entry.external == inlet.port]
        if inner and fed_back.issuperset(inner):
            return True
    if node.op is None or not node.op.spec.inputs:
        return False
    is_of_texts = node.op.spec.category == "tokenizers" or node.type in _OF_TEXTS
    return is_of_texts or node.op.spec.input(inlet.port).name in _SETTINGS


def _is_quantised(graph: Graph, facts: Facts, outlet: Outlet | None) -> bool:
    """Return whether an outlet has numbers of 8 bits or fewer, converted to floats, before they are scaled."""
    while outlet is not None:
        node, source = graph.node(outlet.node), next(iter(graph.sources(outlet.node)), None)
        if node.type == "Convert" and source is not None:
            fact = facts.get(source)
            if fact is not None and (fact.type.is_float or fact.type.is_integer) and fact.type.bits <= 8:
                return True
        elif node.type not in _VIEWS and node.type != "Subtract":
            return False
        outlet = source
    return False
