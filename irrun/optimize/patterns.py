"""Questions that several passes ask about a graph."""

from __future__ import annotations

import numpy as np

from irrun.graph import Node, Outlet
from irrun.ops._declared.arithmetic.elementwise import Binary
from irrun.optimize.rewrite import Rewriter
from irrun.tensor import Array, Dim, Fact, Shape
from irrun.tensor.element_type import F32, F64


def is_plain(fact: Fact | None) -> bool:
    """Return whether a tensor is f32 or f64, so that fusing layers skips no rounding between them."""
    return fact is not None and fact.type in (F32, F64)


def first(node: Node) -> Outlet:
    """The first output of a node."""
    return Outlet(node.id, 0)


def broadcasts_as_numpy(node: Node) -> bool:
    """Return whether a node broadcasts its two inputs by NumPy's rules."""
    return isinstance(node.op, Binary) and node.op.auto_broadcast == "numpy"


def other_input(graph: Rewriter, node: Node, outlet: Outlet) -> Outlet | None:
    """Return the other input of a binary node, or None if both inputs are ``outlet``."""
    sources = graph.sources(node.id)
    if len(sources) != 2 or sources[0] == sources[1]:
        return None
    return sources[1] if sources[0] == outlet else sources[0]


def constant_operand(graph: Rewriter, node: Node) -> tuple[Outlet, Array] | None:
    """Return the varying input of a binary node and its constant operand; None unless exactly one is constant."""
    sources = graph.sources(node.id)
    if len(sources) != 2:
        return None
    a, b = (graph.constant(source) for source in sources)
    if (a is None) == (b is None):
        return None
    changing, value = (sources[0], b) if b is not None else (sources[1], a)
    return None if changing is None or value is None else (changing, value)


def scalar(value: Array | None) -> float | None:
    """Return the element of an array of one element."""
    return float(value.reshape(-1)[0]) if value is not None and value.size == 1 else None


def scalar_operand(graph: Rewriter, node: Node) -> tuple[Outlet, float] | None:
    """Return the varying input of a binary node and its constant operand, if that is a number that adds no axes."""
    found = constant_operand(graph, node)
    if found is None or not broadcasts_as_numpy(node):
        return None
    fact, number = graph.fact(found[0]), scalar(found[1])
    if number is None or fact is None or fact.rank is None or found[1].ndim > fact.rank:
        return None
    return found[0], number


def scalar_over(graph: Rewriter, node: Node) -> float | None:
    """Return the second operand, such as a divisor or an exponent, if it is a constant number."""
    found = scalar_operand(graph, node)
    return found[1] if found is not None and graph.sources(node.id)[0] == found[0] else None


def scalar_under(graph: Rewriter, node: Node) -> float | None:
    """Return the first operand, such as a dividend, if it is a constant number."""
    found = scalar_operand(graph, node)
    return found[1] if found is not None and graph.sources(node.id)[1] == found[0] else None


def along(value: Array, rank: int, axis: int, size: int) -> Array | None:
    """Return a constant that varies along one axis only as a row of ``size`` elements.

    None if it varies along another axis of a tensor of this rank, or has more axes.
    """
    if value.ndim > rank:
        return None
    shape = (1,) * (rank - value.ndim) + value.shape
    if any(length != 1 for place, length in enumerate(shape) if place != axis) or shape[axis] not in (1, size):
        return None
    return np.broadcast_to(value.reshape(-1), (size,))


def same_shape(a: Fact | None, b: Fact | None) -> bool:
    """Return whether two tensors have the same type and provably the same shape."""
    return a is not None and b is not None and a.type is b.type and same_sizes(a.shape, b.shape)


def same_sizes(a: Shape, b: Shape) -> bool:
    """Return whether two shapes are provably equal."""
    return a.dims is not None and b.dims is not None and a.rank == b.rank and all(map(same_size, a.dims, b.dims))


def same_size(a: Dim, b: Dim) -> bool:
    """Return whether two sizes are provably equal."""
    return a == b and a.is_determined
