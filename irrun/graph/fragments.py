"""Bare layers as models: a Parameter for each input, and a Result for each output."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from irrun.document.records import LayerElement, PortElement, element_type, tensor_names
from irrun.graph.edges import Sources
from irrun.graph.graph import PARAMETER, RESULT, Node, Outlet
from irrun.ops import Op
from irrun.ops.declaration import TypeVar
from irrun.ops.registry import resolve
from irrun.tensor import DYNAMIC, ElementType, Shape
from irrun.tensor.element_type import BOOLEAN, F32, I64, STRING


def feed(layers: Mapping[int, LayerElement], sources: Sources) -> dict[int, Node]:
    """Connect each input to a new Parameter of the type and dims of its port; return those Parameters by id."""
    made: dict[int, Node] = {}
    for consumer, layer in layers.items():
        for index, port in enumerate(layer.inputs):
            id = -1 - len(layers) - len(made)
            type = element_type(port.precision) or DYNAMIC
            made[id] = Node(id, f"{layer.id}.{port.id}", PARAMETER, "", _parameter(port, type), 0, 1, ((),), None, {})
            sources[id] = []
            sources[consumer][index] = Outlet(id, 0)
    return made


def completed(layers: Mapping[int, LayerElement], nodes: Mapping[int, Node], sources: Sources) -> dict[int, Node]:
    """Return the nodes of bare layers with Parameters and Results, so that they can be run.

    Inputs and outputs are named after the ports of the operation; those of several layers after the layers too. An
    input without a precision has a type that the operation accepts.
    """
    found = {**feed(layers, sources), **nodes}
    for consumer, layer in layers.items():
        node, prefix = nodes[consumer], "" if len(layers) == 1 else f"{layer.name or layer.id}."
        for index, port in enumerate(layer.inputs):
            outlet = sources[consumer][index]
            assert outlet is not None
            name = port.id if node.op is None else node.op.spec.input(index).name
            type = element_type(port.precision) or _usual(node.op, index)
            names = (tuple(dict.fromkeys((f"{prefix}{name}", f"{prefix}{port.id}"))),)
            found[outlet.node] = found[outlet.node]._replace(op=_parameter(port, type), names=names)
        found[consumer] = node._replace(names=tuple(_named_outputs(layer, node, prefix)))
        for output in range(len(layer.outputs)):
            id = min(found) - 1
            found[id] = Node(id, f"{prefix}{output}", RESULT, "", resolve(RESULT)(), 1, 1, ((),), None, {})
            sources[id] = [Outlet(consumer, output)]
    return found


def _named_outputs(layer: LayerElement, node: Node, prefix: str) -> Iterator[tuple[str, ...]]:
    for index, port in enumerate(layer.outputs):
        if port.names or node.op is None or not node.op.outputs:
            yield tensor_names(port.names)
        else:
            yield (f"{prefix}{node.op.outputs[min(index, len(node.op.outputs) - 1)].name}",)


def _usual(op: Op | None, index: int) -> ElementType:
    """Return the type of an input whose port has no precision: f32, or else the most usual one that fits."""
    accepted = DYNAMIC if op is None else op.spec.input(index).type
    if isinstance(accepted, ElementType):
        return accepted
    among = accepted.among if isinstance(accepted, TypeVar) else accepted
    return next((type for type in (F32, I64, BOOLEAN, STRING) if type in among), DYNAMIC)


def _parameter(port: PortElement, type: ElementType) -> Op:
    values: dict[str, Any] = {"element_type": type, "shape": Shape.parse(",".join(port.dims))}
    return resolve(PARAMETER)(**values)
