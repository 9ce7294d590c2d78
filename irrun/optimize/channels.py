"""Which layers read some of the channels of a tensor in memory as fast as if there were no others."""

from __future__ import annotations

from typing import Final

from irrun.graph import Outlet
from irrun.ops.activation.elementwise import Activation
from irrun.ops.arithmetic.elementwise import Binary, Unary
from irrun.optimize.rewrite import Rewriter

_TAKERS: Final = ("Concat", "FusedConcat", "FusedConvolution", "FusedElementwise", "FusedMatMul", "ReLU", "Result")


def may_have_others_between(graph: Rewriter, outlet: Outlet) -> bool:
    """Whether all that takes a tensor does so as well where between its elements lie channels that are not its own."""
    takers = [graph.node(inlet.node) for inlet in graph.consumers(outlet)]
    return all(node.type in _TAKERS or isinstance(node.op, Activation | Binary | Unary) for node in takers)
