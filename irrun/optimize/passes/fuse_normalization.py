"""Normalize, scale and shift each row in one step.

Before: MVN(x, -1) → Multiply(gamma) → Add(beta)
        or  d = Subtract(x, ReduceMean(x)),  Divide(d, Sqrt(Add(ReduceMean(Power(d, 2)), eps))) → Multiply → Add
        or  Multiply(x, Divide(1, Sqrt(Add(ReduceMean(Power(x, 2)), eps)))) → Multiply(gamma)
After:  FusedLayerNorm(x)

Proof: the quotient and the product by the inverse are equal (z3, tests/optimize/test_identities.py), but for
the rounding of the inverse, half a unit in the last place, and those of the sums.
"""

from __future__ import annotations

from typing import NamedTuple

from irrun.graph import Node, Outlet
from irrun.optimize.patterns import (
    along,
    broadcasts_as_numpy,
    constant_operand,
    first,
    is_plain,
    other_input,
    scalar_operand,
    scalar_over,
    scalar_under,
)
from irrun.optimize.rewrite import Rewriter
from irrun.tensor import Array


class _Core(NamedTuple):
    """A normalization without scale and shift: its input, and its last node."""

    data: Outlet
    last: Node
    eps: float
    eps_outside: bool = False
    centred: bool = True


def run(graph: Rewriter) -> None:
    for node in graph.nodes("MVN", "ReduceMean"):
        core = _mvn(graph, node) if node.type == "MVN" else _written_out(graph, node)
        if core is not None:
            _fuse(graph, core)


def _fuse(graph: Rewriter, core: _Core) -> None:
    fact = graph.fact(core.data)
    if fact is None or not is_plain(fact) or not fact.rank or not fact.shape[-1].is_static:
        return
    columns = fact.shape[-1].lo
    gamma: Array | None = None
    beta: Array | None = None
    last, parts = core.last, [core.last]
    while beta is None:
        after = graph.only_consumer(first(last))
        found = None if after is None else constant_operand(graph, after)
        if after is None or found is None or not broadcasts_as_numpy(after):
            break
        row = along(found[1], fact.rank, fact.rank - 1, columns)
        if row is None or after.type not in ("Multiply", "Add") or (after.type == "Multiply" and gamma is not None):
            break
        gamma, beta = (row.copy(), beta) if after.type == "Multiply" else (gamma, row.copy())
        last = after
        parts.append(after)
    from irrun.ops._declared.fused.fused_functions import FusedLayerNorm

    result = graph.fact(first(last))
    assert result is not None
    op = FusedLayerNorm(
        fact=result, gamma=gamma, beta=beta, eps=core.eps, eps_outside=core.eps_outside, centred=core.centred
    )
    graph.replace(first(last), graph.fuse(op, [core.data], parts))


def _mvn(graph: Rewriter, node: Node) -> _Core | None:
    from irrun.ops._declared.normalization.mvn import MVNV6

    data, fact = graph.sources(node.id)[0], graph.fact(first(node))
    if not isinstance(node.op, MVNV6) or data is None or fact is None or not node.op.normalize_variance:
        return None
    if not _is_last_axis(graph, graph.sources(node.id)[1], fact.rank):
        return None
    return _Core(data, node, node.op.eps, node.op.eps_mode == "outside_sqrt")


def _written_out(graph: Rewriter, mean: Node) -> _Core | None:
    """Search back from the mean of squares to the operand, and forwards to the quotient."""
    squares = _mean_of(graph, first(mean))
    data = None if squares is None else _squared(graph, squares)
    added = graph.only_consumer(first(mean))
    if data is None or added is None or added.type != "Add":
        return None
    eps = scalar_operand(graph, added)
    last = _quotient(graph, added, data)
    if eps is None or last is None:
        return None
    centre = graph.node(data.node)
    if centre.type == "Subtract" and broadcasts_as_numpy(centre):
        whole, less = graph.sources(centre.id)
        if whole is not None and less is not None and _mean_of(graph, less) == whole:
            return _Core(whole, last, eps[1])
    return _Core(data, last, eps[1], centred=False)


def _quotient(graph: Rewriter, variance: Node, data: Outlet) -> Node | None:
    """Return the node that divides ``data`` by the square root of ``variance``."""
    root = graph.only_consumer(first(variance))
    if root is None:
        return None
    exponent = scalar_over(graph, root) if root.type == "Power" else None
    if root.type == "Sqrt" or exponent == 0.5:
        end = graph.only_consumer(first(root))
        if end is None or not broadcasts_as_numpy(end):
            return None
        if end.type == "Divide" and graph.sources(end.id)[0] == data:
            return end
        inverted = end.type == "Divide" and scalar_under(graph, end) == 1
        inverted = inverted or (end.type == "Power" and scalar_over(graph, end) == -1)
        root = end if inverted else None
    elif exponent != -0.5:
        root = None
    end = None if root is None else graph.only_consumer(first(root))
    if end is None or root is None or end.type != "Multiply" or not broadcasts_as_numpy(end):
        return None
    return end if other_input(graph, end, first(root)) == data else None


def _mean_of(graph: Rewriter, outlet: Outlet) -> Outlet | None:
    """Return the input of a ReduceMean along the last axis that keeps the axis."""
    from irrun.ops._declared.reduction.reduce_mean import ReduceMean

    node = graph.maker(outlet)
    if node is None or not isinstance(node.op, ReduceMean) or not node.op.keep_dims:
        return None
    data, axes = graph.sources(node.id)
    fact = graph.fact(data)
    return data if fact is not None and _is_last_axis(graph, axes, fact.rank) else None


def _squared(graph: Rewriter, outlet: Outlet) -> Outlet | None:
    node = graph.maker(outlet)
    if node is None or not broadcasts_as_numpy(node):
        return None
    a, b = graph.sources(node.id)
    if node.type == "Power" and scalar_over(graph, node) == 2:
        return a
    return a if node.type == "Multiply" and a == b else None


def _is_last_axis(graph: Rewriter, axes: Outlet | None, rank: int | None) -> bool:
    value = graph.constant(axes)
    return value is not None and rank is not None and rank > 0 and value.reshape(-1).tolist() in ([-1], [rank - 1])
