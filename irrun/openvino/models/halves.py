"""Constants that ``save_model`` stores in f16: as OpenVINO does, all of f32 and f64 that lose little by it."""

from __future__ import annotations

from typing import Final

import numpy as np

from irrun.editing import MutableGraph
from irrun.graph import Graph, Node, Outlet
from irrun.graph.marks import keeps_f32
from irrun.tensor import Fact
from irrun.tensor.element_type import F16, F32, F64

_HALF: Final = np.finfo(np.float16)
_MOST_OUTSIDE: Final = 0.75
"""The part of the values of a constant beyond the range of f16 from which on it keeps its type."""

_LOSS: Final = 1e-4
"""The relative error from which on a constant of one value keeps its type."""

_BYTES: Final = frozenset({"i8", "u8"})


def is_quantised(graph: Graph) -> bool:
    """Return whether a model computes with quantised values or weights: then it is saved as it is."""
    return any(_quantises(graph, node) for node in graph.ordered())


def stays_in_f32(graph: Graph | MutableGraph, id: int) -> bool:
    """Return whether a constant, or a layer that reads it, is marked as one that stays in f32."""
    readers = [graph.node(inlet.node) for inlet in graph.consumers(Outlet(id, 0))]
    return any(keeps_f32(node.info.layer) for node in (graph.node(id), *readers))


def as_half(fact: Fact) -> Fact | None:
    """Return a constant of f32 or f64 in f16; None for another one, and where most values are beyond its range.

    Other values beyond the range become the largest ones. A single value must be stored without much loss.
    """
    values = fact.constant if fact.type in (F32, F64) else None
    if values is None:
        return None
    size = np.abs(values)
    outside = (size > _HALF.max) | ((size < _HALF.smallest_subnormal) & (size != 0))
    if values.size and np.count_nonzero(outside) >= _MOST_OUTSIDE * values.size:
        return None
    half = np.clip(values, -_HALF.max, _HALF.max).astype(np.float16)
    if values.size == 1 and np.abs(half.astype(values.dtype) - values).max() > _LOSS * size.max():
        return None
    return Fact.of(F16, half)


def _quantises(graph: Graph, node: Node) -> bool:
    """Return whether a node is a FakeQuantize, or the conversion of bytes that are scaled then."""
    if node.type == "FakeQuantize":
        return True
    source = next(iter(graph.sources(node.id)), None) if node.type == "Convert" else None
    if source is None or graph.node(source.node).type != "Const":
        return False
    stored = getattr(graph.node(source.node).op, "element_type", None)
    return stored is not None and stored.name in _BYTES and _is_scaled(graph, node)


def _is_scaled(graph: Graph, node: Node) -> bool:
    users = [graph.node(item.node) for item in graph.consumers(Outlet(node.id, 0))]
    return any(user.type == "Multiply" or (user.type == "Subtract" and _is_scaled(graph, user)) for user in users)
