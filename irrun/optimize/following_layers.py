"""Layers after a product that its epilogue can apply while the result is still in the cache."""

from __future__ import annotations

import numpy as np

from irrun.graph import Node, Outlet
from irrun.kernels.elementwise import Elementwise
from irrun.ops import Fact
from irrun.ops.blame import called
from irrun.optimize.patterns import along, broadcasts_as_numpy, constant_operand, first, other_input, same_shape
from irrun.optimize.rewrite import Rewriter
from irrun.tensor import Array


class FollowingLayers:
    """The layers after ``node`` that an epilogue can apply, each the only consumer of the previous one.

    The result is activation(product * scale + bias + summand). ``scale`` and ``bias`` are rows along ``axis``;
    ``summand`` is a tensor in the shape of the result. ``last`` is the last layer, ``fact`` the fact of its output.
    """

    def __init__(self, graph: Rewriter, node: Node, axis: int, size: int) -> None:
        self.graph = graph
        self.axis = axis
        self.size = size
        self.scale: Array | None = None
        self.bias: Array | None = None
        self.summand: Outlet | None = None
        self.activation: Elementwise | None = None
        self.last = node
        self.nodes: list[Node] = [node]
        fact = graph.fact(first(node))
        assert fact is not None
        self.fact: Fact = fact
        self.dtype = fact.type.dtype
        while self.activation is None:
            after = graph.only_consumer(first(self.last))
            if after is None or not same_shape(graph.fact(first(after)), fact) or not self._take(after):
                break
            self.last = after
            self.nodes.append(after)
        found = graph.fact(first(self.last))
        assert found is not None
        self.fact = found
        self.bias = None if self.bias is None else np.ascontiguousarray(self.bias, self.dtype)
        self.scale = None if self.scale is None else np.ascontiguousarray(self.scale, self.dtype)

    def _take(self, node: Node) -> bool:
        """Add a node to the epilogue, if the epilogue can apply it."""
        if node.type == "BatchNormInference":
            return self._batch_norm(node)
        if node.type in ("Add", "Subtract", "Multiply", "Divide") and broadcasts_as_numpy(node):
            return self._constant(node) or self._residual(node)
        if node.op is None or (node.type == "Swish" and len(self.graph.sources(node.id)) > 1):
            return False
        sources = self.graph.sources(node.id)
        self.activation = called(node.op, "elementwise") if len(sources) == 1 else None
        return self.activation is not None

    def _constant(self, node: Node) -> bool:
        found = constant_operand(self.graph, node)
        if found is None or self.fact.rank is None:
            return False
        swapped = self.graph.sources(node.id)[1] == found[0]
        row = along(found[1], self.fact.rank, self.axis, self.size)
        if row is None or (swapped and node.type in ("Subtract", "Divide")):
            return False
        if node.type in ("Add", "Subtract"):
            self._shift(row if node.type == "Add" else -row)
            return True
        if self.summand is not None:
            return False
        with np.errstate(all="ignore"):
            return self._times(row.astype(np.float64) if node.type == "Multiply" else 1 / row.astype(np.float64))

    def _residual(self, node: Node) -> bool:
        other = other_input(self.graph, node, first(self.last))
        if node.type != "Add" or other is None or self.summand is not None:
            return False
        if self.graph.constant(other) is not None or not same_shape(self.graph.fact(other), self.fact):
            return False
        self.summand = other
        return True

    def _batch_norm(self, node: Node) -> bool:
        from irrun.ops._declared.normalization.batch_norm_inference import BatchNormInferenceV5

        if not isinstance(node.op, BatchNormInferenceV5):
            return False
        data, *parameters = self.graph.sources(node.id)
        values = [self.graph.constant(outlet) for outlet in parameters]
        if data != first(self.last) or self.axis != 1 or self.summand is not None:
            return False
        if any(value is None or value.shape != (self.size,) for value in values):
            return False
        gamma, beta, mean, variance = (value.astype(np.float64) for value in values if value is not None)
        factor = gamma / np.sqrt(variance + node.op.epsilon)
        if not self._times(factor):
            return False
        self._shift(beta - mean * factor)
        return True

    def _times(self, factor: Array) -> bool:
        """Multiply the result so far, unless by infinity or NaN, which would turn every zero into NaN."""
        if not np.isfinite(factor).all():
            return False
        self.scale = factor if self.scale is None else self.scale * factor
        self.bias = None if self.bias is None else self.bias * factor
        return True

    def _shift(self, row: Array) -> None:
        row = row.astype(np.float64)
        self.bias = row if self.bias is None else self.bias + row
