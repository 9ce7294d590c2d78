"""Compute element-wise layers in one step, in place, and block by block if they are large.

Before: Multiply(x, a) → Add(b) → Tanh → Multiply(y)
After:  FusedElementwise(x, a, b, y)

A layer belongs to the chain if the chain is its only consumer, and if it has the type and provably the shape of the
result. A chain may consist of one layer, and begin with a Convert of integers or booleans, or with a Select.

Proof: all pairs of four operations and operands, bit by bit (tests/optimize/test_exhaustive.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from irrun.graph import Node, Outlet
from irrun.kernels.elementwise import FunctionCall, FunctionChain, convert, select
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

_MAX_CALLS = 500
"""The largest number of layers in one chain."""

_BINARY: dict[type, Callable[..., Any]] = {
    Add: np.add,
    Subtract: np.subtract,
    Multiply: np.multiply,
    Divide: np.divide,
    Maximum: np.maximum,
    Minimum: np.minimum,
}


def run(graph: Rewriter) -> None:
    for node in reversed(list(graph.nodes())):
        if graph.has(node.id) and graph.constant(first(node)) is None:
            function, fact = _of_floats(graph, node), graph.fact(first(node))
            if function is None or fact is None or fact.shape.size == 0:
                continue
            if same_sizes(fact.shape, fact.shape):
                _fuse(graph, node, fact)


def _function(graph: Rewriter, node: Node) -> Callable[..., Any] | None:
    """Return what computes a node whose results are floats; None if the node is no element-wise function."""
    facts = [graph.fact(source) for source in graph.sources(node.id)]
    if not is_plain(graph.fact(first(node))):
        return None
    if isinstance(node.op, Convert):
        return convert if facts[0] is not None and (facts[0].type.is_integer or facts[0].type is BOOLEAN) else None
    if isinstance(node.op, Select):
        is_select = node.op.auto_broadcast == "numpy" and facts[0] is not None and facts[0].type is BOOLEAN
        return select if is_select and all(map(is_plain, facts[1:])) else None
    return _of_floats(graph, node)


def _of_floats(graph: Rewriter, node: Node) -> Callable[..., Any] | None:
    """Return the ufunc that computes a node; None if the node is no element-wise function of floats."""
    if node.op is None or node.outputs != 1 or not is_plain(graph.fact(first(node))):
        return None
    sources = graph.sources(node.id)
    if not all(is_plain(graph.fact(source)) for source in sources):
        return None
    if len(sources) == 2:
        return _BINARY.get(type(node.op)) if broadcasts_as_numpy(node) else None
    return called(node.op, "elementwise") if len(sources) == 1 else None


def _fuse(graph: Rewriter, root: Node, fact: Fact) -> None:
    chain = _Builder(graph, fact)
    chain.visit(root)
    like = next((place for place, outlet in enumerate(chain.inputs) if _has_shape(graph, outlet, fact)), None)
    op = FusedElementwise(fact=fact, chain=chain.built(), like=like)
    graph.replace(first(root), graph.fuse(op, list(chain.inputs), list(reversed(chain.nodes))))


def _has_shape(graph: Rewriter, outlet: Outlet, fact: Fact) -> bool:
    given = graph.fact(outlet)
    return given is not None and same_sizes(given.shape, fact.shape)


class _Builder:
    """Collect the calls of a chain, from the result back to the inputs.

    The operands of a call are numbers: inputs count up from 0, workspaces down from -1, which holds the result.
    """

    def __init__(self, graph: Rewriter, fact: Fact) -> None:
        self.graph = graph
        self.fact = fact
        self.inputs: dict[Outlet, int] = {}
        self.nodes: list[Node] = []
        self.calls: list[tuple[Callable[..., Any], tuple[int, ...], int]] = []
        self.workspaces = 0

    def visit(self, root: Node) -> None:
        """Add the calls that compute a node into workspace -1."""
        waiting = [(root, -1)]
        while waiting:
            node, out = waiting.pop()
            function = _function(self.graph, node)
            assert function is not None
            arguments: list[int] = []
            free = out  # the first absorbed operand is computed where the result will be
            self.workspaces = max(self.workspaces, -out)
            for source in self.graph.sources(node.id):
                assert source is not None
                feeder = self._absorbed(source, node) if len(self.calls) + len(waiting) < _MAX_CALLS else None
                if feeder is None:
                    arguments.append(self._input(source))
                else:
                    arguments.append(free)
                    waiting.append((feeder, free))
                    free -= 1
            self.nodes.append(node)
            self.calls.append((function, tuple(arguments), out))

    def _input(self, outlet: Outlet) -> int:
        return self.inputs.setdefault(outlet, len(self.inputs))

    def _absorbed(self, outlet: Outlet, user: Node) -> Node | None:
        if self.graph.constant(outlet) is not None or self.graph.only_consumer(outlet) is not user:
            return None
        node = self.graph.node(outlet.node)
        fact = self.graph.fact(outlet)
        if not same_shape(fact, self.fact):
            return None
        return node if _function(self.graph, node) is not None else None

    def built(self) -> FunctionChain:
        """Return the calls in order of execution."""
        count = len(self.inputs)

        def place(value: int) -> int:
            return value if value >= 0 else count - value - 1

        calls = tuple(
            FunctionCall(function, tuple(place(value) for value in arguments), place(out))
            for function, arguments, out in reversed(self.calls)
        )
        return FunctionChain(calls, count, self.workspaces)
