"""Layers that some exporters write, and others write as several layers, as these."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from irrun.debugging.cutting import model_of
from irrun.diagnostics import OpError
from irrun.editing import MutableGraph
from irrun.graph import Node, Outlet
from irrun.model import Loaded
from irrun.openvino.nodes.records import record_of
from irrun.ops._declared.infrastructure.const import HeldConst
from irrun.ops.registry import resolve
from irrun.tensor import Fact
from irrun.tensor.element_type import BOOLEAN, I64, ElementType


def expanded(model: Loaded, other: Loaded) -> Loaded:
    """Return a model with attention and normalisation as several layers, if another model does not have these.

    The layers have the name of that which they are made from; the ids of others stay. A layer stays that has a sink, or
    needs sizes that are not known, or if the other model has no layers that such parts have.
    """
    kept = {node.type for node in other.graph.ordered()}
    if "GroupNormalization" in kept:
        kept.add("MVN")
    types = {type for type in _PARTS if type not in kept and _TELLING[type] & {name.lower() for name in kept}}
    nodes = [node for node in model.graph.ordered() if node.type in types]
    if not nodes:
        return model
    graph = MutableGraph(model.graph, model.facts, model.weights)
    try:
        for node in nodes:
            made = _PARTS[node.type](_Parts(graph, node))
            if made is not None:
                graph.replace(Outlet(node.id, 0), made)
                graph.remove([node.id])
        parted = model_of(model, *graph.freeze())
    except OpError:
        return model
    return parted if len(parted.graph) == len(model.graph) else expanded(parted, other)


class _Parts:
    """The parts of a layer, which are added to a graph."""

    def __init__(self, graph: MutableGraph, node: Node) -> None:
        self.graph, self.node = graph, node
        self.sources = graph.sources(node.id)

    def fact(self, port: int) -> Fact:
        return self.graph.fact(self.sources[port]) or Fact.unknown()

    def layer(self, name: str, opset: int, *inputs: Outlet | None, **attributes: Any) -> Outlet:
        record = record_of(resolve(name, f"opset{opset}")(**attributes), self.node.name)
        return Outlet(self.graph.add(record, inputs), 0)

    def constant(self, values: Any, type: ElementType = I64) -> Outlet:
        fact = Fact.of(type, np.array(values, type.dtype))
        return Outlet(self.graph.add(record_of(HeldConst.of(fact), self.node.name), (), [fact]), 0)


def _attention(parts: _Parts) -> Outlet | None:
    """Return softmax(query · keyᵀ · scale + mask) · value."""
    query, key, value, mask, scale, sink = (*parts.sources, None, None, None)[:6]
    q, k = parts.fact(0).shape.dims, parts.fact(1).shape.dims
    if q is None or k is None or sink is not None:
        return None
    type, is_causal = parts.fact(0).type, getattr(parts.node.op, "causal", False)
    if (scale is None and not q[-1].is_static) or (is_causal and not (q[-2].is_static and k[-2].is_static)):
        return None
    scores = parts.layer("MatMul", 1, query, key, transpose_a=False, transpose_b=True)
    factor = parts.constant(1 / math.sqrt(q[-1].lo or 1), type) if scale is None else scale
    scores = parts.layer("Multiply", 1, scores, factor)
    if is_causal:
        mask = parts.constant(np.tri(q[-2].lo, k[-2].lo, dtype=bool), BOOLEAN)
    seen = parts.graph.fact(mask)
    if seen is not None and seen.type == BOOLEAN:
        mask = parts.layer("Select", 1, mask, parts.constant(0, type), parts.constant(-np.inf, type))
    if mask is not None:
        scores = parts.layer("Add", 1, scores, mask)
    soft = parts.layer("Softmax", 8, scores, axis=-1)
    return parts.layer("MatMul", 1, soft, value, transpose_a=False, transpose_b=False)


def _group_norm(parts: _Parts) -> Outlet | None:
    """Return the normalised groups times a factor, plus a summand, both by channel."""
    data, scale, bias = parts.sources
    op: Any = parts.node.op
    shape = parts.fact(0).shape
    if not shape.is_static:
        return None
    sizes = shape.static
    groups = parts.layer("Reshape", 1, data, parts.constant([sizes[0], op.num_groups, -1]), special_zero=False)
    norm = {"normalize_variance": True, "eps": op.epsilon, "eps_mode": "inside_sqrt"}
    normal = parts.layer("MVN", 6, groups, parts.constant([2]), **norm)
    normal = parts.layer("Reshape", 1, normal, parts.constant(sizes), special_zero=False)
    by_channel = parts.constant([1, -1, *(1 for _ in sizes[2:])])
    factor, summand = (parts.layer("Reshape", 1, each, by_channel, special_zero=False) for each in (scale, bias))
    return parts.layer("Add", 1, parts.layer("Multiply", 1, normal, factor), summand)


def _norm(parts: _Parts) -> Outlet | None:
    """Return the tensor less its mean, divided by its standard deviation."""
    if len(parts.sources) != 2:
        return None
    data, axes = parts.sources
    op: Any = parts.node.op
    type, eps = parts.fact(0).type, op.eps
    mean = parts.layer("ReduceMean", 1, data, axes, keep_dims=True)
    centred = parts.layer("Subtract", 1, data, mean)
    if not op.normalize_variance:
        return centred
    square = parts.layer("Power", 1, centred, parts.constant(2, type))
    deviation = parts.layer("ReduceMean", 1, square, axes, keep_dims=True)
    is_inside = op.eps_mode.lower() == "inside_sqrt"
    if is_inside:
        deviation = parts.layer("Add", 1, deviation, parts.constant(eps, type))
    deviation = parts.layer("Sqrt", 1, deviation)
    if not is_inside:
        deviation = parts.layer("Add", 1, deviation, parts.constant(eps, type))
    return parts.layer("Divide", 1, centred, deviation)


_PARTS: Final[Mapping[str, Callable[[_Parts], Outlet | None]]] = {
    "ScaledDotProductAttention": _attention,
    "GroupNormalization": _group_norm,
    "MVN": _norm,
}

_TELLING: Final[Mapping[str, frozenset[str]]] = {
    "ScaledDotProductAttention": frozenset({"softmax", "exp"}),
    "GroupNormalization": frozenset({"mvn", "reducemean"}),
    "MVN": frozenset({"reducemean"}),
}
"""Layers in small letters, of which a model has one that was written as such parts."""
