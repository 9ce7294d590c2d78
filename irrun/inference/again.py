"""Inference for other input shapes: the facts that change, in topological order."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from irrun.diagnostics import OpError
from irrun.document.weights import Weights
from irrun.graph import Graph, Node, Outlet
from irrun.inference.facts import Facts
from irrun.inference.fold import fold
from irrun.ops.calling import infer as infer_outputs
from irrun.tensor import Dim, Fact


class Changed(NamedTuple):
    """Facts, and the outlets whose facts differ from those before."""

    facts: Facts
    outlets: tuple[Outlet, ...]


class Inference:
    """Infers the facts of a graph again for other facts of its Parameters.

    The work is in proportion to the number of facts that change. The result is that of `infer`.
    """

    def __init__(self, graph: Graph, weights: Weights) -> None:
        self._graph = graph
        self._weights = weights
        self._places = {id: place for place, id in enumerate(graph.order)}

    def again(self, before: Facts, given: Mapping[int, Fact]) -> Changed | None:
        """Return the facts for ``given``; None where a layer does not fit its inputs, or a body must be inferred.

        ``before`` are facts of the graph, for other facts of all Parameters, without diagnostics.
        """
        known = dict(before.of)
        changed: list[Outlet] = []
        waiting: list[int] = []
        seen: set[int] = set()

        def change(outlet: Outlet, fact: Fact) -> None:
            if is_same(known[outlet], fact):
                return
            known[outlet] = fact
            changed.append(outlet)
            for inlet in self._graph.consumers(outlet):
                if inlet.node not in seen and inlet.node in self._places:
                    seen.add(inlet.node)
                    heapq.heappush(waiting, self._places[inlet.node])

        for parameter, fact in given.items():
            change(Outlet(parameter, 0), fact)
        while waiting:
            node = self._graph[self._graph.order[heapq.heappop(waiting)]]
            outputs = self._outputs(node, known)
            if outputs is None or len(outputs) != len(before.outlets(node.id)):
                return None
            for port, fact in enumerate(outputs):
                change(Outlet(node.id, port), fact)
        return Changed(Facts(self._graph, known, before.bodies, ()), tuple(changed))

    def _outputs(self, node: Node, known: Mapping[Outlet, Fact]) -> tuple[Fact, ...] | None:
        if node.op is None or node.bodies:
            return None
        inputs = [None if outlet is None else known.get(outlet) for outlet in self._graph.sources(node.id)]
        try:
            outputs = infer_outputs(node.op, inputs, weights=self._weights.read, output_count=node.outputs, bodies={})
            return fold(node.op, inputs, outputs)
        except OpError:
            return None


def is_same(a: Fact, b: Fact) -> bool:
    """Return whether inference cannot tell two facts apart. A dim that is unknown and unnamed equals only itself."""
    if a is b:
        return True
    if a.type is not b.type or a.shape.rank != b.shape.rank:
        return False
    if not all(_is_same_dim(p, q) for p, q in zip(a.shape.dims or (), b.shape.dims or (), strict=True)):
        return False
    return _is_same_value(a.value, b.value)


def _is_same_dim(a: Dim, b: Dim) -> bool:
    if a is b:
        return True
    is_known = a.is_determined and b.is_determined
    return is_known and (a.lo, a.hi, a.expr) == (b.lo, b.hi, b.expr)


def _is_same_value(a: np.ndarray | None, b: np.ndarray | None) -> bool:
    if a is None or b is None:
        return a is b
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype != object:
        return a.tobytes() == b.tobytes()
    return all(
        _is_same_dim(Dim.of(p), Dim.of(q)) if isinstance(p, Dim) or isinstance(q, Dim) else p == q
        for p, q in zip(a.flat, b.flat, strict=True)
    )
