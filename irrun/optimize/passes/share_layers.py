"""Layers of large tensors that nothing is fused with, whose results come from memory and whose work can be shared.

Before: AvgPool(x), LRN(x, axes), SoftMax(x), ReduceMean(x, spatial axes), ShuffleChannels(x)
After:  FusedAvgPool(x), and so on, with the same kernels
"""

from __future__ import annotations

from typing import Final

from irrun.graph import Node
from irrun.kernels.activation import softmax
from irrun.kernels.blocks import shuffle
from irrun.kernels.normalization import local_response
from irrun.kernels.pooling import spatial_mean
from irrun.ops import Array, Fact
from irrun.ops.activation.softmax import SoftMaxV1, SoftMaxV8
from irrun.ops.fused.base import Memory
from irrun.ops.fused.fused_layer import (
    FusedAvgPool,
    FusedLayer,
    FusedLRN,
    FusedReduceMean,
    FusedShuffleChannels,
    FusedSoftMax,
    Kernel,
)
from irrun.ops.movement.shuffle_channels import ShuffleChannels
from irrun.ops.normalization.lrn import LRN
from irrun.ops.pooling.avg_pool import Averaging, AvgPoolV1, AvgPoolV14, AvgPoolV16, average
from irrun.ops.reduction.base import reduced_axes
from irrun.ops.reduction.reduce_mean import ReduceMean
from irrun.optimize.patterns import first, is_plain
from irrun.optimize.rewrite import Rewriter
from irrun.optimize.settings import Settings

ORDER = 94

_SHARED: Final[dict[str, type[FusedLayer]]] = {
    "AvgPool": FusedAvgPool,
    "LRN": FusedLRN,
    "ReduceMean": FusedReduceMean,
    "ShuffleChannels": FusedShuffleChannels,
    "SoftMax": FusedSoftMax,
}

_LEAST: Final = 1 << 13
"""Elements of the data below which nothing is worth being shared."""


def run(graph: Rewriter, settings: Settings) -> None:  # noqa: ARG001
    for node in graph.nodes(*_SHARED):
        data, fact = graph.sources(node.id)[0], graph.fact(first(node))
        given = graph.fact(data)
        if fact is None or given is None or not is_plain(fact) or given.shape.size.hi < _LEAST:
            continue
        kernel = _kernel(graph, node, given)
        if kernel is not None:
            graph.replace(first(node), graph.add(_SHARED[node.type](fact, kernel), [data], [node]))


def _kernel(graph: Rewriter, node: Node, given: Fact) -> Kernel | None:
    op = node.op
    if isinstance(op, AvgPoolV1 | AvgPoolV14 | AvgPoolV16):
        return _average(op, given)
    if isinstance(op, SoftMaxV1 | SoftMaxV8) and given.rank:
        axis = op.axis
        return lambda data, memory: softmax(data, axis, memory.like(data))
    if isinstance(op, ShuffleChannels):
        along, groups = op.axis, op.group
        return lambda data, memory: shuffle(data, along, groups, memory.empty(data.shape, data.dtype))
    if not isinstance(op, LRN | ReduceMean):
        return None
    axes = graph.constant(graph.sources(node.id)[1])
    if axes is None or not given.rank:
        return None
    over = reduced_axes(axes, given.rank)
    if isinstance(op, LRN):
        return _respond(op, over)
    return _spatial_mean(op.keep_dims) if given.rank > 2 and over == tuple(range(2, given.rank)) else None


def _average(op: Averaging, given: Fact) -> Kernel:
    """An average over all of a channel is a mean."""
    if given.shape.is_static and not any((*op.pads_begin, *op.pads_end)) and op.kernel == given.shape.static[2:]:
        return _spatial_mean(keep_dims=True)
    return lambda data, memory: average(op, data, memory.empty)


def _respond(op: LRN, axes: tuple[int, ...]) -> Kernel:
    alpha, beta, bias, size = op.alpha, op.beta, op.bias, op.size
    return lambda data, memory: local_response(data, axes, alpha, beta, bias, size, memory.like(data))


def _spatial_mean(keep_dims: bool) -> Kernel:
    def kernel(data: Array, memory: Memory) -> Array:
        out = memory.empty(data.shape[:2], data.dtype)
        spatial_mean(data, out)
        return out.reshape(*out.shape, *(1,) * (data.ndim - 2)) if keep_dims else out

    return kernel
