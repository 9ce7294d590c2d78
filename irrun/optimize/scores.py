"""Scores of attention as models write them: a product of queries and keys, scaled, capped, and changed by masks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from irrun.graph import Node, Outlet
from irrun.ops._declared.condition.select import Select
from irrun.ops._declared.matrix.matmul import MatMul
from irrun.optimize.patterns import broadcasts_as_numpy, first, scalar, scalar_operand, scalar_over
from irrun.optimize.rewrite import Rewriter
from irrun.tensor import Shape
from irrun.tensor.element_type import BOOLEAN


class Summand(NamedTuple):
    """A tensor added to scores of a shape. ``scales`` are layers that scale the sum, their operands and the port."""

    outlet: Outlet
    shape: Shape
    scales: tuple[tuple[Node, Outlet, int], ...] = ()


class Scores(NamedTuple):
    """``nodes``, of which the first is the product, compute cap * tanh(product * scale) + summands, masked.

    A ``cap`` of 0 is none. ``factors`` are layers that scale each query, and their operands. Scores are replaced by the
    ``filling`` where ``mask`` is false, or true if ``inverted``.
    """

    nodes: tuple[Node, ...]
    scale: float = 1.0
    cap: float = 0.0
    factors: tuple[tuple[Node, Outlet], ...] = ()
    summands: tuple[Summand, ...] = ()
    mask: Summand | None = None
    filling: float | None = None
    inverted: bool = False
    reshaped: bool = False

    @property
    def changes(self) -> list[Summand]:
        """The summands, and the mask behind them."""
        return [*self.summands, *([] if self.mask is None else [self.mask])]

    def then(self, node: Node) -> Scores:
        """Return the scores after another layer."""
        return self._replace(nodes=(*self.nodes, node))


def scores_of(graph: Rewriter, outlet: Outlet | None, user: Node) -> Scores | None:
    """Return how scores that only ``user`` consumes are computed; None if not as those of attention."""
    node = lone(graph, outlet, user)
    if node is None:
        return None
    if isinstance(node.op, MatMul):
        return None if node.op.transpose_a else Scores((node,))
    step = _STEPS.get(node.type)
    found = None if step is None else step(graph, node)
    return None if found is None else found.then(node)


def lone(graph: Rewriter, outlet: Outlet | None, user: Node) -> Node | None:
    """Return the producer of an outlet whose only consumer is ``user``."""
    if outlet is None or graph.constant(outlet) is not None or graph.only_consumer(outlet) is not user:
        return None
    return graph.node(outlet.node)


def unscaled(graph: Rewriter, outlet: Outlet | None, user: Node) -> tuple[Outlet | None, float]:
    """Return a tensor without a scale that only ``user`` needs, and that scale."""
    node = lone(graph, outlet, user)
    found = None if node is None else _scale(graph, node)
    return (outlet, 1.0) if found is None else found


def keeps_matrices(graph: Rewriter, node: Node) -> bool:
    """Return whether a Reshape changes only the stacks of matrices, whose sizes are known."""
    before, after = graph.fact(graph.sources(node.id)[0]), graph.fact(first(node))
    if before is None or after is None or not before.shape.is_static or not after.shape.is_static:
        return False
    return before.shape.static[-2:] == after.shape.static[-2:] and min(len(before.shape), len(after.shape)) > 2


def _scale(graph: Rewriter, node: Node) -> tuple[Outlet, float] | None:
    """Return the tensor that a Multiply or Divide scales, and its factor."""
    if node.type == "Multiply":
        return scalar_operand(graph, node)
    divisor = scalar_over(graph, node) if node.type == "Divide" else None
    data = graph.sources(node.id)[0] if node.inputs else None
    return None if divisor is None or divisor == 0 or data is None else (data, 1 / divisor)


def _one_side(graph: Rewriter, node: Node, ports: Sequence[int]) -> tuple[Scores, int] | None:
    """Return the scores among some inputs of a layer that keeps their shape, and their port."""
    result = graph.fact(first(node))
    found = [(scores_of(graph, graph.sources(node.id)[port], node), port) for port in ports]
    known = [(scores, port) for scores, port in found if scores is not None]
    if len(known) != 1 or result is None:
        return None
    fact = graph.fact(graph.sources(node.id)[known[0][1]])
    if fact is None or fact.rank != result.rank or fact.rank is None:
        return None
    # A summand may have several rows or columns where a product has one.
    widens = any(size.is_static and size.lo == 1 != wide for size, wide in zip(fact.shape, result.shape, strict=True))
    return None if widens else known[0]


def _added(graph: Rewriter, node: Node) -> Scores | None:
    found = _one_side(graph, node, (0, 1)) if broadcasts_as_numpy(node) else None
    if found is None or found[0].mask is not None:
        return None
    scores, port = found
    other, fact = graph.sources(node.id)[1 - port], graph.fact(first(node))
    if other is None or fact is None:
        return None
    return scores._replace(summands=(*scores.summands, Summand(other, fact.shape)))


def _scaled(graph: Rewriter, node: Node) -> Scores | None:
    found = _one_side(graph, node, (0, 1) if node.type == "Multiply" else (0,)) if broadcasts_as_numpy(node) else None
    if found is None or found[0].mask is not None:
        return None
    scores, port = found
    other, number = graph.sources(node.id)[1 - port], _scale(graph, node)
    fact = graph.fact(other)
    if other is None or fact is None or fact.rank is None:
        return None
    summands = tuple(each._replace(scales=(*each.scales, (node, other, port))) for each in scores.summands)
    if number is not None:
        changed = {"cap": scores.cap * number[1]} if scores.cap else {"scale": scores.scale * number[1]}
        return scores._replace(summands=summands, **changed)  # type: ignore[arg-type]
    is_same = fact.rank == 0 or (fact.shape[-1].is_static and fact.shape[-1].lo == 1)
    if scores.cap or scores.reshaped or not is_same:
        return None
    return scores._replace(summands=summands, factors=(*scores.factors, (node, other)))


def _capped(graph: Rewriter, node: Node) -> Scores | None:
    scores = scores_of(graph, graph.sources(node.id)[0], node)
    if scores is None or scores.cap or scores.summands or scores.mask is not None:
        return None
    return scores._replace(cap=1.0)


def _filled(graph: Rewriter, node: Node) -> Scores | None:
    if not isinstance(node.op, Select) or node.op.auto_broadcast != "numpy":
        return None
    found, condition = _one_side(graph, node, (1, 2)), graph.sources(node.id)[0]
    fact, shape = graph.fact(condition), graph.fact(first(node))
    if found is None or condition is None or fact is None or fact.type is not BOOLEAN or shape is None:
        return None
    scores, port = found
    filling = scalar(graph.constant(graph.sources(node.id)[3 - port]))
    if scores.mask is not None or filling is None:
        return None
    return scores._replace(mask=Summand(condition, shape.shape), filling=filling, inverted=port == 2)


def _reshaped(graph: Rewriter, node: Node) -> Scores | None:
    scores = scores_of(graph, graph.sources(node.id)[0], node)
    return None if scores is None or not keeps_matrices(graph, node) else scores._replace(reshaped=True)


_STEPS: Final = {
    "Add": _added,
    "Multiply": _scaled,
    "Divide": _scaled,
    "Tanh": _capped,
    "Select": _filled,
    "Reshape": _reshaped,
}
