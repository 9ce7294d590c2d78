"""Attention as the layers that it is made of, for a comparison with a model that was written so."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from irrun.debugging.cutting import model_of
from irrun.diagnostics import OpError
from irrun.editing import MutableGraph
from irrun.graph import Node, Outlet
from irrun.model import Loaded
from irrun.openvino.nodes.records import record_of
from irrun.ops.infrastructure.const import HeldConst
from irrun.ops.registry import resolve
from irrun.tensor import Array, Fact
from irrun.tensor.element_type import BOOLEAN, ElementType

ATTENTION = "ScaledDotProductAttention"


def expanded(model: Loaded, other: Loaded) -> Loaded:
    """Return a model whose attention is products and a softmax, all of the name of the layer, if that of another is so.

    The ids of other layers stay. A layer stays that has a sink, or whose scale or mask depends on unknown sizes.
    """
    if any(node.type == ATTENTION for node in other.graph.ordered()):
        return model
    nodes = [node for node in model.graph.ordered() if node.type == ATTENTION]
    if not nodes:
        return model
    graph = MutableGraph(model.graph, model.facts, model.weights)
    try:
        for node in nodes:
            _expand(graph, node)
        return model_of(model, *graph.freeze())
    except OpError:
        return model


def _expand(graph: MutableGraph, node: Node) -> None:
    query, key, value, mask, scale, sink = (*graph.sources(node.id), None, None, None)[:6]
    q, k, v = (graph.fact(outlet) for outlet in (query, key, value))
    if q is None or k is None or v is None or q.shape.dims is None or k.shape.dims is None or sink is not None:
        return
    type, (queries, keys, size) = q.type, (q.shape.dims[-2], k.shape.dims[-2], q.shape.dims[-1])
    is_causal = getattr(node.op, "causal", False)
    if (scale is None and not size.is_static) or (is_causal and not (queries.is_static and keys.is_static)):
        return

    def layer(name: str, inputs: Sequence[Outlet | None], opset: str, **attributes: object) -> Outlet:
        return Outlet(graph.add(record_of(resolve(name, opset)(**attributes), node.name), inputs), 0)

    def constant(array: Array, of: ElementType = type) -> Outlet:
        fact = Fact.of(of, array.astype(of.dtype))
        return Outlet(graph.add(record_of(HeldConst.of(fact), node.name), (), [fact]), 0)

    scores = layer("MatMul", [query, key], "opset1", transpose_a=False, transpose_b=True)
    factor = constant(np.array(1 / math.sqrt(size.lo or 1))) if scale is None else scale
    scores = layer("Multiply", [scores, factor], "opset1")
    if is_causal:
        mask = constant(np.tri(queries.lo, keys.lo, dtype=bool), BOOLEAN)
    seen = graph.fact(mask)
    if mask is not None and seen is not None and seen.type == BOOLEAN:
        mask = layer("Select", [mask, constant(np.array(0.0)), constant(np.array(-np.inf))], "opset1")
    if mask is not None:
        scores = layer("Add", [scores, mask], "opset1")
    soft = layer("Softmax", [scores], "opset8", axis=-1)
    graph.replace(Outlet(node.id, 0), layer("MatMul", [soft, value], "opset1", transpose_a=False, transpose_b=False))
    graph.remove([node.id])
