"""Values passed to the linter for unconnected ports."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from irrun.diagnostics import listing
from irrun.graph import Bound, Node, Outlet
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import F32, I64

Values = Sequence[tuple[str, Sequence[float]]]

MOST_ELEMENTS: Final = 1 << 16


class UnknownPort(ValueError):
    """A value was passed for a port that does not exist or has another number of elements."""


def facts_of(bound: Bound, values: Values) -> Mapping[int, Fact]:
    """Return the facts of Parameters with values by port id, by input name, or by ``LAYER.PORT``.

    LAYER is the id or the name of a layer, or its position in the file, from 1, where it has no id. A name shared by
    several ports sets each of those with a matching number of elements. UnknownPort where there is none.
    """
    given: dict[int, Fact] = {}
    names = {id: _names(bound, id) for id in bound.graph.parameters} if values else {}
    for name, elements in values:
        called = [id for id, known in names.items() if name in known]
        takers = {id: fact for id in called if (fact := _fact(bound.graph.node(id), elements)) is not None}
        if not called:
            known = ", ".join(sorted({text for texts in names.values() for text in texts}))
            raise UnknownPort(f"no port {name} takes a value, expected one of {known or 'none'}")
        if not takers:
            shapes = listing((_declared(bound.graph.node(id)).shape for id in called), "and")
            count = f"{len(elements)} element{'s' if len(elements) != 1 else ''}"
            raise UnknownPort(f"the value of port {name} has {count}, expected those of shape {shapes}")
        given.update(takers)
    return given


def options(bound: Bound) -> Mapping[int, str]:
    """Return ``--value PORT=…`` for each Parameter that takes a value, by node, with the shortest name that is its own.

    That is the id of a port of a bare layer, ``LAYER.PORT`` where several have it, or the name of a Parameter.
    """
    names = {id: _names(bound, id) for id in bound.graph.parameters}
    uses = Counter(name for known in names.values() for name in known)
    found: dict[int, str] = {}
    for id, known in names.items():
        shape = _declared(bound.graph.node(id)).shape
        own = sorted((name for name in known if name and uses[name] == 1), key=lambda name: (not name.isdigit(), name))
        if own and (shape.is_static or shape.rank == 1) and shape.size.lo <= MOST_ELEMENTS:
            found[id] = f"--value {bound.graph.node(id).name if bound.graph.node(id).layer is not None else own[0]}=…"
    return found


def _declared(node: Node) -> Fact:
    fact: Fact = node.op.infer() if node.op is not None else Fact.unknown()
    return fact


def _sizes(shape: Shape, count: int) -> tuple[int, ...] | None:
    """Return the sizes of a tensor of a declared shape with a number of elements; None where it has another number."""
    if shape.is_static:
        return shape.static if math.prod(shape.static) == count else None
    return (count,) if shape.admits((count,)) and shape.rank == 1 else None


def _fact(node: Node, elements: Sequence[float]) -> Fact | None:
    declared = _declared(node)
    sizes = _sizes(declared.shape, len(elements))
    if sizes is None or len(elements) > MOST_ELEMENTS:
        return None
    whole = all(float(item).is_integer() for item in elements)
    type = declared.type if declared.type.is_known else I64 if whole else F32
    try:
        return Fact.of(type, np.array(elements, dtype=type.dtype).reshape(sizes))
    except OverflowError:
        return None


def _names(bound: Bound, id: int) -> set[str]:
    """Return the names of the port that a Parameter feeds; for one of the file, its own and its tensor names."""
    node = bound.graph.node(id)
    if node.layer is not None:
        return {node.name, *(node.names[0] if node.names else ())}
    names: set[str] = set()
    for consumer, input in bound.graph.consumers(Outlet(id, 0)):
        target = bound.graph.node(consumer)
        if target.layer is None:
            continue
        port = target.layer.inputs[input].id
        ports = {port}
        if target.op is not None and target.op.inputs:
            ports.add(target.op.spec.input(input).name)
        layers = {target.layer.id or str(-consumer), target.name} - {""}
        names |= ports | {f"{layer}.{port}" for layer in layers for port in ports}
    return names
