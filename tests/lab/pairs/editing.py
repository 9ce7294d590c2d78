"""Edits of models for the bench of verdicts, layer by layer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from irrun.debugging.cutting import constant_nodes, model_of
from irrun.diagnostics import OpError
from irrun.editing import MutableGraph
from irrun.graph import Node, Outlet
from irrun.model import Loaded
from irrun.ops import Op
from irrun.ops._declared.infrastructure.const import Const, HeldConst
from irrun.ops.registry import resolve
from irrun.tensor import Array, ElementType, Fact
from irrun.tensor.element_type import F32


class Edit:
    """A model that is edited: layers are added, and take the place of others."""

    def __init__(self, model: Loaded) -> None:
        self.model = model
        self.graph = MutableGraph(model.graph, model.facts, model.weights)
        self.constant = constant_nodes(model.graph)
        self._count = 0

    def layers(self, *types: str) -> Iterator[Node]:
        """Yield the layers of some types that compute something."""
        for node in self.model.graph.ordered():
            if node.id not in self.constant and (not types or node.type in types):
                yield node

    def fact(self, node: Node, port: int = 0) -> Fact:
        return self.model.facts[Outlet(node.id, port)]

    def value(self, node: Node, port: int) -> Array | None:
        """Return the constant that an input is."""
        sources = self.model.graph.sources(node.id)
        outlet = sources[port] if port < len(sources) else None
        if outlet is None or outlet.node not in self.constant:
            return None
        fact = self.model.facts.get(outlet)
        return None if fact is None else fact.constant if fact.constant is not None else self._folded(outlet)

    def _folded(self, outlet: Outlet) -> Array | None:
        node = self.model.graph.node(outlet.node)
        if node.type == "Convert":
            source = self.model.graph.sources(node.id)[0]
            fact = None if source is None else self.model.facts.get(source)
            if fact is not None and fact.constant is not None:
                return fact.constant.astype(self.model.facts[outlet].type.dtype)
        return None

    def source(self, node: Node, port: int = 0) -> Outlet:
        outlet = self.model.graph.sources(node.id)[port]
        assert outlet is not None
        return outlet

    def const(self, array: Any, type: ElementType = F32, name: str = "") -> Outlet:
        value = Fact.of(type, np.ascontiguousarray(np.asarray(array), type.dtype))
        self._count += 1
        record = Node(
            -1, name or f"made/const_{self._count}", "Const", "opset1", HeldConst.of(value), 0, 1, ((),), None, {}
        )
        return Outlet(self.graph.add(record, (), [value]), 0)

    def layer(self, op: Op, inputs: Sequence[Outlet | None], name: str = "", outputs: int = 1) -> Outlet:
        self._count += 1
        names = ((),) * outputs
        record = Node(
            -1, name or f"made/{op.type}_{self._count}", op.type, f"opset{op.opset}", op, 0, outputs, names, None, {}
        )
        return Outlet(self.graph.add(record, inputs), 0)

    def make(
        self, type: str, inputs: Sequence[Outlet | None], name: str = "", opset: int | None = None, **attributes: Any
    ) -> Outlet:
        kind = resolve(type) if opset is None else resolve(type, f"opset{opset}")
        return self.layer(kind(**attributes), inputs, name)

    def instead(self, node: Node, outlet: Outlet) -> None:
        """Let the consumers of a layer read another tensor, and remove the layer."""
        self.graph.replace(Outlet(node.id, 0), outlet)
        self.graph.remove([node.id])

    def between(self, outlet: Outlet, made: Outlet, but: Sequence[int] = ()) -> None:
        """Let the consumers of a tensor read another one, made from it."""
        for inlet in self.graph.consumers(outlet):
            if inlet.node not in (made.node, *but):
                self.graph.connect(made, inlet)

    def done(self) -> Loaded | None:
        """Return the edited model; None where it is not one, or nothing was edited."""
        if self.graph.graph is self.model.graph:
            return None
        try:
            graph, facts = self.graph.freeze()
        except OpError:
            return None
        return None if facts.diagnostics else model_of(self.model, graph, facts)


def is_float(fact: Fact | None) -> bool:
    return fact is not None and fact.type == F32


def constants(model: Loaded) -> list[Node]:
    return [node for node in model.graph.ordered() if isinstance(node.op, Const)]
