"""Estimates the arithmetic of a model from inferred shapes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from irrun.graph import Graph, Node, Outlet
from irrun.inference import Facts
from irrun.ops.blame import called
from irrun.ops.context import BodyPorts
from irrun.ops.extension import Extension
from irrun.ops.work import Sizes
from irrun.tensor import Fact, Shape

_COMPUTING: Final = frozenset(
    {
        *("activation", "arithmetic", "detection", "image", "internal", "matrix", "normalization", "pooling"),
        *("quantization", "reduction", "sequence", "signals", "sparse"),
    }
)
"""Categories of operations that compute new numbers; the others move, compare, sort or draw them."""


@dataclass(frozen=True, slots=True)
class Flops:
    """The floating-point operations of one inference, with a multiply-add counted as two.

    ``by_type`` covers convolutions, matrix products, recurrent cells and attention. ``uncounted`` are the other
    operations that compute floats, with the number of their layers: activations, norms, transforms, operations of
    libraries. ``assumed`` is true where a dynamic dim was taken as 1, or a loop of unknown length as one iteration.
    ``unknown`` names layers that could not be counted because their shapes are unknown.
    """

    by_type: Mapping[str, int]
    uncounted: Mapping[str, int]
    assumed: bool
    unknown: tuple[str, ...]

    @property
    def total(self) -> int:
        return sum(self.by_type.values())

    @property
    def macs(self) -> int:
        """The multiply-adds."""
        return self.total // 2


def flops(graph: Graph, facts: Facts, *, has_weights: bool = True) -> Flops:
    """Count the operations of a graph and its bodies; of alternative bodies the costliest counts.

    Without weights, sizes that do not follow from those of the inputs are unknown: the weights may hold them.
    """
    counter = _Counter(has_weights)
    counts = counter.graph(graph, facts)
    uncounted = dict(sorted(counter.uncounted.items(), key=lambda item: (-item[1], item[0])))
    return Flops(dict(sorted(counts.items())), uncounted, counter.assumed, tuple(counter.unknown))


def flops_of(node: Node, facts: Facts) -> int:
    """Return the operations of one node, with its bodies; 0 where its shapes are not known."""
    return sum(_Counter(True).node(node, facts).values())


class _Counter:
    def __init__(self, has_weights: bool) -> None:
        self._has_weights = has_weights
        self.assumed = False
        self.unknown: list[str] = []
        self.uncounted: Counter[str] = Counter()

    def graph(self, graph: Graph, facts: Facts) -> dict[str, int]:
        counts: dict[str, int] = {}
        for node in graph.ordered():
            for type, count in self.node(node, facts).items():
                counts[type] = counts.get(type, 0) + count
        return counts

    def node(self, node: Node, facts: Facts) -> dict[str, int]:
        if node.bodies:
            return self._bodies(node, facts)
        if node.op is None or node.op.multiply_adds is None:
            if _computes_floats(node, facts):
                self.uncounted[node.type] += 1
            return {}
        shapes = [self._shape(fact) for fact in (facts.get(Outlet(node.id, 0)), *facts.inputs(node.id))]
        known = [shape for shape in shapes if shape is not None]
        if len(known) < len(shapes):
            self.unknown.append(node.name)
            return {}
        return {node.type: 2 * called(node.op, "multiply_adds", Sizes(tuple(known[1:]), known[0]))}

    def _shape(self, fact: Fact | None) -> tuple[int, ...] | None:
        if fact is None or fact.shape.dims is None:
            return None
        if not self._has_weights and not all(dim.is_determined for dim in fact.shape):
            return None
        if not fact.shape.is_static:
            self.assumed = True
        return tuple(dim.lo if dim.is_static else 1 for dim in fact.shape)

    def _bodies(self, node: Node, facts: Facts) -> dict[str, int]:
        costliest: dict[str, int] = {}
        for tag, body in node.bodies.items():
            inner = facts.bodies.get((node.id, tag))
            if inner is None:
                self.unknown.append(node.name)
                continue
            counts = self.graph(body.graph, inner)
            if len(node.bodies) == 1 and counts:
                runs = self._runs(node, body.ports, facts, inner)
                counts = {type: runs * count for type, count in counts.items()}
            costliest = max(costliest, counts, key=lambda item: sum(item.values()))
        return costliest

    def _runs(self, node: Node, ports: BodyPorts, facts: Facts, inner: Facts) -> int:
        """Return the iterations of a body, from the sizes of sliced inputs and outputs or a known trip count."""
        inputs, parameters, results = facts.inputs(node.id), inner.graph.parameters, inner.results()
        whole_and_part: list[tuple[Fact | None, Fact | None, int]] = []
        for cut in ports.inputs:
            if cut.axis is not None and cut.external is not None:
                part = inner.get(Outlet(parameters[cut.internal], 0))
                whole_and_part.append((inputs[cut.external], part, cut.axis))
        for join in ports.outputs:
            if join.axis is not None and join.external is not None:
                whole_and_part.append((facts.get(Outlet(node.id, join.external)), results[join.internal], join.axis))
        for whole, part, axis in whole_and_part:
            if whole is not None and part is not None and _static(whole.shape, axis) and _static(part.shape, axis):
                return math.ceil(whole.shape[axis].lo / max(part.shape[axis].lo, 1))
        first = inputs[0]
        trips = None if first is None else first.ints()
        if node.op is not None and node.op.inputs[0].name == "trip_count" and trips is not None and trips[0] >= 0:
            return trips[0]
        self.assumed = True
        return 1


def _computes_floats(node: Node, facts: Facts) -> bool:
    fact = facts.get(Outlet(node.id, 0))
    if fact is not None and not fact.type.is_float:
        return False
    return isinstance(node.op, Extension) or (node.op is not None and node.op.spec.category in _COMPUTING)


def _static(shape: Shape, axis: int) -> bool:
    return shape.rank is not None and -shape.rank <= axis < shape.rank and shape[axis].is_static
