"""Consumers that read a slice of the channels of a tensor as fast as a contiguous tensor."""

from __future__ import annotations

from irrun.graph import Outlet
from irrun.optimize.rewrite import Rewriter


def may_be_channel_slice(graph: Rewriter, outlet: Outlet) -> bool:
    """Return whether every consumer of a tensor is as fast if the tensor is a slice of the channels of a larger one."""
    operations = [graph.node(inlet.node).op for inlet in graph.consumers(outlet)]
    return all(operation is not None and operation.reads_slices for operation in operations)
