"""Consumers that read a slice of the channels of a tensor as fast as a contiguous tensor."""

from __future__ import annotations

from typing import Final

from irrun.graph import Outlet
from irrun.ops.activation.elementwise import Activation
from irrun.ops.arithmetic.elementwise import Binary, Unary
from irrun.optimize.rewrite import Rewriter

_CONSUMERS: Final = ("Concat", "FusedConcat", "FusedConvolution", "FusedElementwise", "FusedMatMul", "ReLU", "Result")


def may_be_channel_slice(graph: Rewriter, outlet: Outlet) -> bool:
    """Return whether every consumer of a tensor is as fast if the tensor is a slice of the channels of a larger one."""
    consumers = [graph.node(inlet.node) for inlet in graph.consumers(outlet)]
    return all(node.type in _CONSUMERS or isinstance(node.op, Activation | Binary | Unary) for node in consumers)
