"""Fuse a convolution by constant weights with the channel-wise and element-wise layers after it.

Before: Convolution(x, W) → Multiply(scale) → Add(shift) → BatchNormInference → Add(residual) → ReLU
After:  FusedConvolution(x, residual)

Factors of channels are folded into the weights, summands into a bias.

Before: Multiply(x, a) → Add(b) → ReLU → Convolution(W), if a is positive and the kernel has one element
After:  FusedConvolution(x), of max(x, -b / a), with the weights W * a and the bias W · b; not where x is to be rounded

Proof: the identities of factors, summands and the activation before (z3, tests/optimize/test_identities.py),
and all small windows, bit by bit where numbers are integers (tests/optimize/test_exhaustive.py). Otherwise results
differ by the roundings of the weights that are multiplied, half a unit in the last place each, and of the sums.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from irrun.graph import Node, Outlet
from irrun.ops._declared.convolution.base import Convolving
from irrun.ops._declared.fused.fused_products import FusedConvolution
from irrun.optimize.following_layers import FollowingLayers
from irrun.optimize.patterns import along, broadcasts_as_numpy, constant_operand, first, is_plain, same_shape
from irrun.optimize.rewrite import Rewriter
from irrun.tensor import Array
from irrun.tensor.element_type import F32


def run(graph: Rewriter) -> None:
    for node in graph.nodes("Convolution", "GroupConvolution"):
        _fuse(graph, node)


def _fuse(graph: Rewriter, node: Node) -> None:
    data, kernel = graph.sources(node.id)
    weights, fact = graph.constant(kernel), graph.fact(first(node))
    if not isinstance(node.op, Convolving) or weights is None or data is None:
        return
    if fact is None or not is_plain(fact) or weights.size == 0:
        return
    grouped = weights if node.type == "GroupConvolution" else weights[None]
    filters = grouped.shape[0] * grouped.shape[1]
    end = FollowingLayers(graph, node, axis=1, size=filters)
    if end.scale is not None:
        grouped = grouped * end.scale.reshape(*grouped.shape[:2], *(1,) * (grouped.ndim - 2))
    bias, least = end.bias, None
    is_exact = graph.settings.accurate or graph.settings.precision is not F32
    pre = None if is_exact else _pre_activation(graph, node, data, grouped)
    if pre is not None:
        data, least = pre.data, pre.least
        added = grouped[0].reshape(filters, -1) @ pre.shift
        bias = added if bias is None else bias + added
        grouped = grouped * pre.scale[:, None, None]
    op = FusedConvolution(
        fact=end.fact,
        source=node.op,
        weights=grouped,
        bias=bias,
        activation=end.activation,
        accurate=graph.settings.accurate,
        least=least,
    )
    inputs: list[Outlet | None] = [data] if end.summand is None else [data, end.summand]
    graph.replace(first(end.last), graph.fuse(op, inputs, end.nodes))


class _PreActivation(NamedTuple):
    """max(0, data * scale + shift) as max(data, least) * scale + shift; scale, shift and least are rows of channels."""

    data: Outlet
    scale: Array
    shift: Array
    least: Array


def _pre_activation(graph: Rewriter, node: Node, data: Outlet, weights: Array) -> _PreActivation | None:
    """Return the pre-activation that a convolution can apply to its input instead of a BatchNorm and a ReLU."""
    assert isinstance(node.op, Convolving)
    relu, fact = graph.node(data.node), graph.fact(data)
    windows = node.op.windows(weights.ndim - 3)
    inside = windows.auto_pad != "explicit" or not any((*windows.begins, *windows.ends))
    if relu.type != "ReLU" or fact is None or fact.rank != 4 or graph.only_consumer(data) is not node:
        return None
    if weights.shape[0] != 1 or weights.shape[3:] != (1, 1) or not inside:
        return None
    found = _scaled_and_shifted(graph, relu, weights.shape[2])
    if found is None:
        return None
    source, scale, shift = found
    dtype = fact.type.dtype
    with np.errstate(all="ignore"):
        least = (-shift / scale).astype(dtype)
    if not (scale > 0).all() or not np.isfinite(least).all():
        return None
    return _PreActivation(source, scale.astype(dtype), shift.astype(dtype), least)


def _scaled_and_shifted(graph: Rewriter, relu: Node, channels: int) -> tuple[Outlet, Array, Array] | None:
    """Return the input of Multiply → Add → ReLU, the factors and the summands; None if others consume the sum."""
    rows = []
    outlet = graph.sources(relu.id)[0]
    for type in ("Add", "Multiply"):
        if outlet is None or graph.node(outlet.node).type != type or graph.only_consumer(outlet) is None:
            return None
        node = graph.node(outlet.node)
        found = constant_operand(graph, node) if broadcasts_as_numpy(node) else None
        row = None if found is None else along(found[1], 4, 1, channels)
        if found is None or row is None or not same_shape(graph.fact(found[0]), graph.fact(outlet)):
            return None
        outlet = found[0]
        rows.append(row.astype(np.float64))
    return None if outlet is None else (outlet, rows[1], rows[0])
