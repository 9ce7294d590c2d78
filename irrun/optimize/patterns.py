"""What passes ask of a graph again and again."""

from __future__ import annotations

from typing import Final

import numpy as np

from irrun.graph import Node, Outlet
from irrun.ops.arithmetic.elementwise import Binary
from irrun.optimize.rewrite import Rewriter
from irrun.tensor import Array, Fact
from irrun.tensor.element_type import F32, F64

COMMUTATIVE: Final = ("Add", "Multiply")


def is_plain(fact: Fact | None) -> bool:
    """Whether a tensor is of floats whose carrier they are: no rounding from layer to layer is left out."""
    return fact is not None and fact.type in (F32, F64)


def first(node: Node) -> Outlet:
    """The first output of a node."""
    return Outlet(node.id, 0)


def broadcasts_as_numpy(node: Node) -> bool:
    """Whether a node takes two inputs as NumPy broadcasts them."""
    return isinstance(node.op, Binary) and node.op.auto_broadcast == "numpy"


def other_input(graph: Rewriter, node: Node, outlet: Outlet) -> Outlet | None:
    """The input of a node of two inputs that is not ``outlet``; None where both are."""
    sources = graph.sources(node.id)
    if len(sources) != 2 or sources[0] == sources[1]:
        return None
    return sources[1] if sources[0] == outlet else sources[0]


def constant_operand(graph: Rewriter, node: Node) -> tuple[Outlet, Array] | None:
    """The input of a node that changes, and the value of the one that does not; None where it is otherwise."""
    sources = graph.sources(node.id)
    if len(sources) != 2:
        return None
    a, b = (graph.constant(source) for source in sources)
    if (a is None) == (b is None):
        return None
    changing, value = (sources[0], b) if b is not None else (sources[1], a)
    return None if changing is None or value is None else (changing, value)


def scalar(value: Array | None) -> float | None:
    """The one element of an array."""
    return float(value.reshape(-1)[0]) if value is not None and value.size == 1 else None


def scalar_operand(graph: Rewriter, node: Node) -> tuple[Outlet, float] | None:
    """The input of a node that changes, and the number that is the other one, which adds no axes."""
    found = constant_operand(graph, node)
    if found is None or not broadcasts_as_numpy(node):
        return None
    fact, number = graph.fact(found[0]), scalar(found[1])
    if number is None or fact is None or fact.rank is None or found[1].ndim > fact.rank:
        return None
    return found[0], number


def scalar_over(graph: Rewriter, node: Node) -> float | None:
    """The number that is the second of two inputs: a divisor, an exponent."""
    found = scalar_operand(graph, node)
    return found[1] if found is not None and graph.sources(node.id)[0] == found[0] else None


def scalar_under(graph: Rewriter, node: Node) -> float | None:
    """The number that is the first of two inputs: a dividend."""
    found = scalar_operand(graph, node)
    return found[1] if found is not None and graph.sources(node.id)[1] == found[0] else None


def along(value: Array, rank: int, axis: int, size: int) -> Array | None:
    """A value that broadcasts to a tensor of this rank along all axes but one, as the elements along that one.

    None where it changes along another axis, or has more axes.
    """
    if value.ndim > rank:
        return None
    shape = (1,) * (rank - value.ndim) + value.shape
    if any(length != 1 for place, length in enumerate(shape) if place != axis) or shape[axis] not in (1, size):
        return None
    return np.broadcast_to(value.reshape(-1), (size,))


def same_shape(a: Fact | None, b: Fact | None) -> bool:
    """Whether two tensors have the same type and are sure to have the same shape."""
    if a is None or b is None or a.type is not b.type:
        return False
    if a.shape.dims is None or b.shape.dims is None or len(a.shape) != len(b.shape):
        return False
    return all(x == y and (x.is_static or x.expr is not None) for x, y in zip(a.shape.dims, b.shape.dims, strict=True))
