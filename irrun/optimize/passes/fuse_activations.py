"""Recognise activations that are composed of several layers, or whose parameter is a tensor.

Before: Multiply(x, Sigmoid(x))
After:  Swish(x)
Before: Multiply(Multiply(x, 0.5), Add(Erf(Divide(x, 1.4142)), 1))
After:  Gelu(x, erf)
Before: Multiply(Multiply(x, 0.5), Add(Tanh(Multiply(Add(x, Multiply(Power(x, 3), 0.044715)), 0.79788)), 1))
After:  Gelu(x, tanh)
Before: PReLU(x, slope), where slope is constant and the same everywhere
After:  FusedLeakyReLU(x)
Before: Maximum(x, Multiply(x, slope)), where 0 < slope <= 1
After:  FusedLeakyReLU(x)

The factors of a GELU, and the operands of a Maximum, may come in any order.

Proof: the factors commute, and slope * x is above x only where x is negative (z3,
tests/optimize/test_identities.py). Constants of the file that differ from those of GELU by less than 1e-4 of their
value count as these, so that its argument may differ by that share.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import permutations
from typing import Final

from irrun.graph import Node, Outlet
from irrun.ops import Op
from irrun.ops._declared.activation.gelu import GeluV7
from irrun.ops._declared.activation.swish import Swish
from irrun.ops._declared.fused.fused_functions import FusedLeakyReLU
from irrun.optimize.patterns import (
    broadcasts_as_numpy,
    first,
    is_plain,
    same_shape,
    scalar_operand,
    scalar_over,
)
from irrun.optimize.rewrite import Rewriter


def run(graph: Rewriter) -> None:
    for node in graph.nodes(*_PATTERNS):
        if is_plain(graph.fact(first(node))):
            _PATTERNS[node.type](graph, node)


def _swish(graph: Rewriter, gate: Node) -> None:
    data = graph.sources(gate.id)[0]
    product = graph.only_consumer(first(gate))
    if data is None or product is None or product.type != "Multiply" or not broadcasts_as_numpy(product):
        return
    if set(graph.sources(product.id)) == {data, first(gate)}:
        _replace(graph, product, Swish(), data)


def _gelu(graph: Rewriter, curve: Node) -> None:
    """Search back from the curve to x, and forwards through the product of x, 0.5 and curve + 1."""
    inner = graph.sources(curve.id)[0]
    added = graph.only_consumer(first(curve))
    one = scalar_operand(graph, added) if added is not None and added.type == "Add" else None
    if inner is None or added is None or one is None or one[1] != 1:
        return
    data = _scaled(graph, inner, math.sqrt(0.5)) if curve.type == "Erf" else _cubic(graph, inner)
    last = None if data is None else _product(graph, added, data)
    if data is not None and last is not None:
        op = GeluV7(approximation_mode="erf" if curve.type == "Erf" else "tanh")
        _replace(graph, last, op, data)


def _product(graph: Rewriter, added: Node, data: Outlet) -> Node | None:
    """Return the node that computes x * 0.5 * added, in any order of the factors."""
    half, times = False, False
    here = first(added)
    while not (half and times):
        node = graph.only_consumer(here)
        if node is None or node.type != "Multiply" or not broadcasts_as_numpy(node):
            return None
        sources = graph.sources(node.id)
        other = sources[1] if sources[0] == here else sources[0]
        number = scalar_operand(graph, node)
        if number is not None and number[1] == 0.5 and not half:
            half = True
        elif other == data and not times:
            times = True
        elif other is not None and _scaled(graph, other, 0.5) == data and not half and not times:
            half = times = True
        else:
            return None
        here = first(node)
    return graph.node(here.node)


def _prelu(graph: Rewriter, node: Node) -> None:
    """Replace a PReLU whose slope is one number, which may be repeated for each channel."""
    data, slope = graph.sources(node.id)
    values, fact, given = graph.constant(slope), graph.fact(first(node)), graph.fact(slope)
    if data is None or values is None or values.size == 0 or fact is None or given is None:
        return
    if given.type is fact.type and (values == values.flat[0]).all():
        _replace(graph, node, FusedLeakyReLU(fact=fact, slope=float(values.flat[0])), data)


def _leaky(graph: Rewriter, node: Node) -> None:
    """Replace the larger of x and slope * x."""
    fact = graph.fact(first(node))
    if fact is None or not broadcasts_as_numpy(node):
        return
    for data, other in permutations(graph.sources(node.id)):
        product = None if other is None else graph.node(other.node)
        found = scalar_operand(graph, product) if product is not None and product.type == "Multiply" else None
        if data is not None and found is not None and found[0] == data and 0 < found[1] <= 1:
            _replace(graph, node, FusedLeakyReLU(fact=fact, slope=found[1]), data)
            return


def _scaled(graph: Rewriter, outlet: Outlet, factor: float) -> Outlet | None:
    """Return the input of a multiplication by ``factor``, or of a division by its inverse."""
    node = graph.node(outlet.node)
    if node.type == "Multiply":
        found = scalar_operand(graph, node)
        return found[0] if found is not None and _close(found[1], factor) else None
    divisor = scalar_over(graph, node) if node.type == "Divide" else None
    return graph.sources(node.id)[0] if divisor is not None and _close(divisor * factor, 1) else None


def _cubic(graph: Rewriter, outlet: Outlet) -> Outlet | None:
    """Return the x of sqrt(2 / pi) * (x + 0.044715 * x³)."""
    total = _scaled(graph, outlet, math.sqrt(2 / math.pi))
    node = None if total is None else graph.node(total.node)
    if node is None or node.type != "Add" or not broadcasts_as_numpy(node):
        return None
    for data, other in (graph.sources(node.id), tuple(reversed(graph.sources(node.id)))):
        cube = None if other is None else _scaled(graph, other, 0.044715)
        if data is not None and cube is not None and _cubed(graph, cube) == data:
            return data
    return None


def _cubed(graph: Rewriter, outlet: Outlet) -> Outlet | None:
    node = graph.node(outlet.node)
    return graph.sources(node.id)[0] if node.type == "Power" and scalar_over(graph, node) == 3 else None


def _close(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-4)


def _replace(graph: Rewriter, last: Node, op: Op, data: Outlet) -> None:
    if same_shape(graph.fact(data), graph.fact(first(last))):
        graph.replace(first(last), graph.fuse(op, [data], [last]))


_PATTERNS: Final[dict[str, Callable[[Rewriter, Node], None]]] = {
    "Sigmoid": _swish,
    "Erf": _gelu,
    "Tanh": _gelu,
    "PReLU": _prelu,
    "Maximum": _leaky,
}
"""The beginnings of the search for an activation, by the type of one of its layers."""
