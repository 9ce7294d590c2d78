"""Constants that hold their values instead of a place in a file of weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from irrun.graph import Body, Node
from irrun.ops.infrastructure.const import Const
from irrun.tensor import Array, Fact


class HeldConst(Const):
    """A constant tensor with its values in memory."""

    fact: Fact

    @staticmethod
    def of(fact: Fact) -> HeldConst:
        op = object.__new__(HeldConst)
        op.__dict__.update(element_type=fact.type, shape=fact.shape, offset=0, size=0, fact=fact)
        return op

    def infer(self, *, weights: Any) -> Fact:
        return self.fact


def held(node: Node, weights: Callable[[int, int], Array | None], fact: Fact | None = None) -> Node:
    """Return a node, and the nodes of its bodies, with the values of constants in memory."""
    if isinstance(node.op, Const) and not isinstance(node.op, HeldConst):
        known = fact if fact is not None else node.op.infer(weights=weights)
        return node._replace(op=HeldConst.of(known)) if known.is_constant else node
    if not node.bodies:
        return node
    return node._replace(
        bodies={
            tag: Body(body.graph.with_nodes([held(inner, weights) for inner in body.graph.ordered()]), body.ports)
            for tag, body in node.bodies.items()
        }
    )


def values_of(node: Node) -> Fact:
    """Return the fact of a constant; RuntimeError where its values are not known."""
    if isinstance(node.op, HeldConst):
        return node.op.fact
    raise RuntimeError(f'the values of constant "{node.name}" are not known: there is no file of weights')


__all__ = ["HeldConst", "held", "values_of"]
