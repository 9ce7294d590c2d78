"""Estimates the arithmetic of a model from inferred shapes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from irrun.graph import Graph, Node, Outlet
from irrun.inference import Facts
from irrun.ops import Op
from irrun.ops.context import BodyPorts
from irrun.ops.extension import Extension
from irrun.tensor import Fact, Shape

Sizes = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Flops:
    """The floating-point operations of one inference, with a multiply-add counted as two.

    ``by_type`` covers convolutions, matrix products, recurrent cells and attention. ``assumed`` is true where a dynamic
    dim was taken as 1, or a loop of unknown length as one iteration. ``unknown`` names layers that could not be counted
    because their shapes are unknown.
    """

    by_type: Mapping[str, int]
    assumed: bool
    unknown: tuple[str, ...]

    @property
    def total(self) -> int:
        return sum(self.by_type.values())


class _Unknown(Exception):
    """A shape is not known well enough to count operations."""


def flops(graph: Graph, facts: Facts) -> Flops:
    """Count the operations of a graph and its bodies; of alternative bodies the costliest counts."""
    counter = _Counter()
    counts = counter.graph(graph, facts)
    return Flops(dict(sorted(counts.items())), counter.assumed, tuple(counter.unknown))


class _Counter:
    def __init__(self) -> None:
        self.assumed = False
        self.unknown: list[str] = []

    def graph(self, graph: Graph, facts: Facts) -> dict[str, int]:
        counts: dict[str, int] = {}
        for node in graph:
            for type, count in self._node(node, facts).items():
                counts[type] = counts.get(type, 0) + count
        return counts

    def _node(self, node: Node, facts: Facts) -> dict[str, int]:
        if isinstance(node.op, Extension):
            return {}
        if node.bodies:
            return self._bodies(node, facts)
        rule = _RULES.get(node.type)
        if rule is None or node.op is None:
            return {}
        inputs, output = facts.inputs(node.id), facts.get(Outlet(node.id, 0))
        try:
            if output is None:
                raise _Unknown
            return {node.type: 2 * rule(node.op, [self._sizes(fact) for fact in inputs], self._sizes(output))}
        except _Unknown:
            self.unknown.append(node.name)
            return {}

    def _sizes(self, fact: Fact | None) -> Sizes:
        if fact is None or fact.shape.dims is None:
            raise _Unknown
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


def _static(shape: Shape, axis: int) -> bool:
    return shape.rank is not None and -shape.rank <= axis < shape.rank and shape[axis].is_static


# A rule maps the operation, the sizes of each input and the sizes of the first output to multiply-adds.
_Rule = Callable[[Any, Sequence[Sizes], Sizes], int]


def _convolution(_op: Any, inputs: Sequence[Sizes], output: Sizes) -> int:
    return math.prod(output) * math.prod(inputs[1][1:])


def _group_convolution(_op: Any, inputs: Sequence[Sizes], output: Sizes) -> int:
    return math.prod(output) * math.prod(inputs[1][2:])


def _deformable_convolution(_op: Any, inputs: Sequence[Sizes], output: Sizes) -> int:
    return math.prod(output) * math.prod(inputs[2][1:])


def _convolution_backprop(_op: Any, inputs: Sequence[Sizes], _output: Sizes) -> int:
    return math.prod(inputs[0]) * math.prod(inputs[1][1:])


def _group_convolution_backprop(_op: Any, inputs: Sequence[Sizes], _output: Sizes) -> int:
    return math.prod(inputs[0]) * math.prod(inputs[1][2:])


def _matmul(op: Any, inputs: Sequence[Sizes], output: Sizes) -> int:
    left = inputs[0]
    common = left[-2] if op.transpose_a and len(left) > 1 else left[-1]
    return math.prod(output) * common


def _einsum(op: Any, inputs: Sequence[Sizes], output: Sizes) -> int:
    """Count the product over all labels, as if contracting all operands at once; 0 for a single operand."""
    if len(inputs) < 2:
        return 0
    terms = op.equation.replace(" ", "").split("->")[0].split(",")
    sizes: dict[str, int] = {}
    batch = 1
    for term, shape in zip(terms, inputs, strict=True):
        head, _, tail = term.partition("...")
        extra = len(shape) - len(head) - len(tail)
        batch = max(batch, math.prod(shape[len(head) : len(head) + extra]))
        named = zip(head + tail, (*shape[: len(head)], *shape[len(head) + extra :]), strict=True)
        for label, size in named:
            sizes[label] = max(size, sizes.get(label, 1))
    del output
    return batch * math.prod(sizes.values())


def _attention(_op: Any, inputs: Sequence[Sizes], _output: Sizes) -> int:
    query, key, value = inputs[:3]
    return math.prod(query[:-1]) * key[-2] * (query[-1] + value[-1])


def _cell(op: Any, inputs: Sequence[Sizes], _output: Sizes) -> int:
    """Count W and R times the input and the state, for each batch element and each step of a sequence."""
    by_name = {port.name: sizes for port, sizes in zip(op.inputs, inputs, strict=False)}
    weights = [by_name[name] for name in ("W", "R") if name in by_name]
    if not weights:
        raise _Unknown
    rows = inputs[0][:-1]
    return math.prod(rows) * sum(math.prod(sizes) for sizes in weights)


_RULES: Final[Mapping[str, _Rule]] = {
    "AUGRUCell": _cell,
    "AUGRUSequence": _cell,
    "BinaryConvolution": _convolution,
    "Convolution": _convolution,
    "ConvolutionBackpropData": _convolution_backprop,
    "DeformableConvolution": _deformable_convolution,
    "Einsum": _einsum,
    "GRUCell": _cell,
    "GRUSequence": _cell,
    "GroupConvolution": _group_convolution,
    "GroupConvolutionBackpropData": _group_convolution_backprop,
    "LSTMCell": _cell,
    "LSTMSequence": _cell,
    "MatMul": _matmul,
    "RNNCell": _cell,
    "RNNSequence": _cell,
    "ScaledDotProductAttention": _attention,
}


def multiply_adds(op: Op, inputs: Sequence[Sizes], output: Sizes) -> int | None:
    """Return the multiply-adds of an operation; None where it is not counted or its shapes are unknown."""
    rule = _RULES.get(op.type)
    try:
        return None if rule is None else rule(op, inputs, output)
    except _Unknown:
        return None
