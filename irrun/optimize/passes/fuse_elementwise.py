"""Compute element-wise layers in one step.

Before: Multiply(x, a) → Add(b) → Tanh → Multiply(y)
After:  FusedElementwise(x, a, b, y)

A layer belongs to the chain if the chain is its only consumer, and if it has the type and provably the shape of the
result. A chain may consist of one layer, and begin with a Convert of integers or booleans, or with a Select.

Proof: all pairs of four operations and operands, bit by bit (tests/optimize/test_exhaustive.py).
"""

from __future__ import annotations

from typing import Final

from irrun.graph import Node, Outlet
from irrun.ops import Fact
from irrun.ops._declared.arithmetic.add import Add
from irrun.ops._declared.arithmetic.divide import Divide
from irrun.ops._declared.arithmetic.maximum import Maximum
from irrun.ops._declared.arithmetic.minimum import Minimum
from irrun.ops._declared.arithmetic.multiply import Multiply
from irrun.ops._declared.arithmetic.subtract import Subtract
from irrun.ops._declared.condition.select import Select
from irrun.ops._declared.fused.fused_elementwise import FusedElementwise
from irrun.ops._declared.type.convert import Convert
from irrun.ops.blame import called
from irrun.optimize.patterns import broadcasts_as_numpy, first, is_plain, same_shape, same_sizes
from irrun.optimize.rewrite import Rewriter
from irrun.tensor.element_type import BOOLEAN

_MAX_CALLS: Final = 500
"""The largest number of layers in one chain."""

_BINARY: Final = (Add, Subtract, Multiply, Divide, Maximum, Minimum)


def run(graph: Rewriter) -> None:
    for node in reversed(list(graph.nodes())):
        if graph.has(node.id) and graph.constant(first(node)) is None and _computes_floats(graph, node):
            fact = graph.fact(first(node))
            if fact is not None and fact.shape.size != 0 and same_sizes(fact.shape, fact.shape):
                _fuse(graph, node, fact)


def _is_elementwise(graph: Rewriter, node: Node) -> bool:
    """Return whether the results of a node are floats, each of which is a function of elements."""
    facts = [graph.fact(source) for source in graph.sources(node.id)]
    if not is_plain(graph.fact(first(node))):
        return False
    if isinstance(node.op, Convert):
        return facts[0] is not None and (facts[0].type.is_integer or facts[0].type is BOOLEAN)
    if isinstance(node.op, Select):
        is_select = node.op.auto_broadcast == "numpy" and facts[0] is not None and facts[0].type is BOOLEAN
        return is_select and all(map(is_plain, facts[1:]))
    return _computes_floats(graph, node)


def _computes_floats(graph: Rewriter, node: Node) -> bool:
    """Return whether the operands of such a node are floats, too."""
    sources = graph.sources(node.id)
    if node.op is None or node.outputs != 1 or not all(is_plain(graph.fact(each)) for each in (*sources, first(node))):
        return False
    if len(sources) == 2:
        return type(node.op) in _BINARY and broadcasts_as_numpy(node)
    return len(sources) == 1 and called(node.op, "elementwise") is not None


def _fuse(graph: Rewriter, root: Node, fact: Fact) -> None:
    nodes = _tree(graph, root, fact)
    made = {first(node) for node in nodes}
    read = [source for node in nodes for source in graph.sources(node.id) if source is not None and source not in made]
    inputs, nodes = list(dict.fromkeys(read)), nodes[::-1]
    numbers = {outlet: number for number, outlet in enumerate([*inputs, *map(first, nodes)])}
    op = FusedElementwise(
        fact=fact,
        layers=tuple(node.op for node in nodes if node.op is not None),
        _operands=tuple(tuple(numbers[each] for each in graph.sources(node.id) if each is not None) for node in nodes),
    )
    graph.replace(first(root), graph.fuse(op, inputs, nodes))


def _tree(graph: Rewriter, root: Node, fact: Fact) -> list[Node]:
    """Return a node, and those before it that belong to its chain, each behind its consumer."""
    nodes, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        nodes.append(node)
        for source in graph.sources(node.id):
            if source is not None and len(nodes) + len(waiting) < _MAX_CALLS and _belongs(graph, source, node, fact):
                waiting.append(graph.node(source.node))
    return nodes


def _belongs(graph: Rewriter, outlet: Outlet, user: Node, fact: Fact) -> bool:
    """Return whether what makes an operand is a layer of the chain as well."""
    if graph.constant(outlet) is not None or graph.only_consumer(outlet) is not user:
        return False
    return same_shape(graph.fact(outlet), fact) and _is_elementwise(graph, graph.node(outlet.node))
