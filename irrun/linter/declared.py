"""What a file declares beside what is inferred, for each port of each layer, bodies included."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from irrun.document.records import LayerElement, PortElement
from irrun.graph import Node, Outlet
from irrun.inference import Facts
from irrun.tensor import Fact, Shape


class DeclaredPort(NamedTuple):
    """A port as written, what is inferred of its tensor, and where it stands.

    ``feeder`` is the output port that an input is connected to, ``fed`` the inputs that an output feeds. ``path`` leads to the body that the layer is in.
    """

    layer: LayerElement
    port: PortElement
    fact: Fact
    feeder: PortElement | None
    fed: tuple[tuple[LayerElement, PortElement], ...]
    path: tuple[str, ...]


def outputs(facts: Facts, path: tuple[str, ...] = ()) -> Iterator[DeclaredPort]:
    """Every output port of which something is inferred."""
    fed: dict[Outlet, list[tuple[LayerElement, PortElement]]] = {}
    for node in facts.graph:
        for index, outlet in enumerate(facts.graph.sources(node.id)):
            if outlet is not None and node.layer is not None:
                fed.setdefault(outlet, []).append((node.layer, node.layer.inputs[index]))
    for node in facts.graph:
        if node.layer is not None:
            for index, port in enumerate(node.layer.outputs):
                outlet = Outlet(node.id, index)
                fact = facts.get(outlet)
                if fact is not None:
                    yield DeclaredPort(node.layer, port, fact, None, tuple(fed.get(outlet, ())), path)
        for inner, where in _bodies(node, facts, path):
            yield from outputs(inner, where)


def inputs(facts: Facts, path: tuple[str, ...] = ()) -> Iterator[DeclaredPort]:
    """Every input port of which it is inferred what arrives."""
    for node in facts.graph:
        if node.layer is not None:
            for index, outlet in enumerate(facts.graph.sources(node.id)):
                fact = facts.get(outlet)
                if outlet is None or fact is None:
                    continue
                source = facts.graph[outlet.node].layer
                feeder = None if source is None else source.outputs[outlet.port]
                yield DeclaredPort(node.layer, node.layer.inputs[index], fact, feeder, (), path)
        for inner, where in _bodies(node, facts, path):
            yield from inputs(inner, where)


def _bodies(node: Node, facts: Facts, path: tuple[str, ...]) -> Iterator[tuple[Facts, tuple[str, ...]]]:
    for tag in node.bodies:
        inner = facts.bodies.get((node.id, tag))
        if inner is not None:
            yield inner, (*path, f'{node.type} "{node.name}" › {tag}')


def shape_of(port: PortElement) -> Shape:
    """The partial shape that the ``<dim>`` elements of a port spell."""
    return Shape.parse(",".join(port.dims))


def offending(port: PortElement, shape: Shape) -> tuple[int, ...] | None:
    """The axes whose ``<dim>`` contradicts a shape; None where the rank itself does."""
    if shape.dims is None:
        return ()
    if len(port.dims) != len(shape.dims):
        return None if port.dims or shape.dims else ()
    declared = shape_of(port).dims
    assert declared is not None
    return tuple(
        axis for axis, (a, b) in enumerate(zip(declared, shape.dims, strict=True)) if not a.compatible(b)
    )


def called(layer: LayerElement) -> str:
    """``layer 7 "relu"``."""
    return f'layer {layer.id} "{layer.name}"' if layer.id else f"layer {layer.type}"
