"""Compute rotary embeddings in one step.

Before: Add(Multiply(x, cos), Multiply(Concat(Negative(x[..., n:]), x[..., :n]), sin))
After:  FusedRotary(x, cos, sin)

Halves are those of a Slice, a Split or a VariadicSplit; a Multiply by -1 negates, too.

Proof: all small numbers of queries and sizes, bit by bit (tests/optimize/test_exhaustive.py).
"""

from __future__ import annotations

import numpy as np

from irrun.graph import Node, Outlet
from irrun.ops._declared.fused.fused_functions import FusedRotary
from irrun.ops._declared.movement.concat import Concat
from irrun.optimize.patterns import broadcasts_as_numpy, first, scalar_operand
from irrun.optimize.rewrite import Rewriter
from irrun.tensor.element_type import F32


def run(graph: Rewriter) -> None:
    for node in list(graph.nodes("Add")):
        fact = graph.fact(first(node))
        products = [_product(graph, source, node) for source in graph.sources(node.id)]
        if fact is None or fact.type is not F32 or not broadcasts_as_numpy(node) or len(products) != 2:
            continue
        for straight, turned in (products, products[::-1]):
            if straight is not None and turned is not None and _fuse(graph, node, straight, turned):
                break


def _product(graph: Rewriter, outlet: Outlet | None, user: Node) -> Node | None:
    """Return the Multiply that computes a tensor for one user."""
    node = graph.maker(outlet)
    if outlet is None or node is None or node.type != "Multiply" or not broadcasts_as_numpy(node):
        return None
    return node if graph.only_consumer(outlet) is user else None


def _fuse(graph: Rewriter, node: Node, straight: Node, turned: Node) -> bool:
    """Replace the sum of two products, if one of the factors is the other turned by a right angle."""
    for concat, sin in _ordered(graph, turned):
        x = _turned(graph, concat)
        for factor, cos in _ordered(graph, straight):
            if x is not None and factor == x and _has_width(graph, x, cos, sin):
                fact = graph.fact(first(node))
                assert fact is not None
                made = graph.fuse(FusedRotary(fact=fact), [x, cos, sin], [straight, turned, node])
                graph.replace(first(node), made)
                return True
    return False


def _ordered(graph: Rewriter, node: Node) -> list[tuple[Outlet, Outlet]]:
    """Return the two factors of a product in both orders."""
    a, b = graph.sources(node.id)
    return [] if a is None or b is None else [(a, b), (b, a)]


def _has_width(graph: Rewriter, x: Outlet, *others: Outlet) -> bool:
    """Return whether the last axes of tensors have the same known size."""
    widths = [fact.shape[-1] for outlet in (x, *others) if (fact := graph.fact(outlet)) is not None and fact.rank]
    return len(widths) == 1 + len(others) and widths[0].is_static and all(width == widths[0] for width in widths)


def _turned(graph: Rewriter, outlet: Outlet) -> Outlet | None:
    """Return x, if a tensor is the concatenation of the negated second half of it and the first one."""
    node, fact = graph.maker(outlet), graph.fact(outlet)
    if (
        node is None
        or not isinstance(node.op, Concat)
        or fact is None
        or not fact.rank
        or len(graph.consumers(outlet)) > 1
    ):
        return None
    parts = graph.sources(node.id)
    if node.op.axis % fact.rank != fact.rank - 1 or len(parts) != 2:
        return None
    second, front = _half(graph, _negated(graph, parts[0]), 1), _half(graph, parts[1], 0)
    return front if front is not None and front == second else None


def _negated(graph: Rewriter, outlet: Outlet | None) -> Outlet | None:
    """Return the tensor that is negated."""
    node = graph.maker(outlet)
    if node is None or node.type == "Negative":
        return None if node is None else graph.sources(node.id)[0]
    found = scalar_operand(graph, node) if node.type == "Multiply" else None
    return None if found is None or found[1] != -1 else found[0]


def _half(graph: Rewriter, outlet: Outlet | None, number: int) -> Outlet | None:
    """Return the tensor of which another is the first (0) or the second half (1) along the last axis."""
    node = graph.maker(outlet)
    sources = [] if node is None else graph.sources(node.id)
    fact = graph.fact(sources[0]) if sources else None
    if outlet is None or node is None or fact is None or not fact.rank or not fact.shape[-1].is_static:
        return None
    size = fact.shape[-1].lo
    given = [graph.constant(source) for source in sources[1:]]
    if size % 2 or any(value is None or value.size == 0 for value in given):
        return None
    numbers = [value.reshape(-1).tolist() for value in given if value is not None]
    wanted = np.arange(size)[number * size // 2 :][: size // 2]
    match node.type, numbers:
        case "Slice", [[start], [stop], [step], [axis]]:
            is_half = axis % fact.rank == fact.rank - 1 and np.array_equal(np.arange(size)[start:stop:step], wanted)
        case "Split", [[axis]]:
            is_half = axis % fact.rank == fact.rank - 1 and node.outputs == 2 and outlet.port == number
        case "VariadicSplit", [[axis], lengths]:
            is_halved = len(lengths) == 2 and size // 2 in lengths and sum(max(each, 0) for each in lengths) <= size
            is_half = axis % fact.rank == fact.rank - 1 and is_halved and outlet.port == number
        case _:
            is_half = False
    return sources[0] if is_half else None
