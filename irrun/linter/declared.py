"""Declared ports beside their inferred facts, for each layer including those in bodies."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from typing import NamedTuple

from irrun.diagnostics import OpError
from irrun.document.records import LayerElement, PortElement, element_type
from irrun.graph import Node, Outlet
from irrun.inference import Facts
from irrun.ops._declared.infrastructure.parameter import Parameter
from irrun.ops.calling import infer
from irrun.tensor import UNBOUNDED, Dim, ElementType, Fact, Shape


class DeclaredPort(NamedTuple):
    """A port as written, with the fact of its tensor.

    ``number`` is its index among the inputs or outputs of its layer. ``outlet`` is the source of the tensor in the
    graph of ``facts``. ``path`` names the bodies around the layer.
    """

    layer: LayerElement
    port: PortElement
    number: int
    fact: Fact
    outlet: Outlet
    facts: Facts
    path: tuple[str, ...]

    @property
    def feeder(self) -> PortElement | None:
        """The output port that feeds an input."""
        layer = self.facts.graph.node(self.outlet.node).layer
        return None if layer is None else layer.outputs[self.outlet.port]

    @property
    def fed(self) -> Iterator[tuple[LayerElement, PortElement]]:
        """The input ports that an output feeds."""
        graph = self.facts.graph
        for target, port in graph.consumers(self.outlet):
            layer = graph.node(target).layer
            if layer is not None:
                yield layer, layer.inputs[port]


def outputs(facts: Facts, path: tuple[str, ...] = ()) -> Iterator[DeclaredPort]:
    """Yield every output port with a fact."""
    for node in facts.graph.ordered():
        if node.layer is not None:
            for index, port in enumerate(node.layer.outputs):
                outlet = Outlet(node.id, index)
                fact = facts.get(outlet)
                if fact is not None:
                    yield DeclaredPort(node.layer, port, index, fact, outlet, facts, path)
        for inner, where in _bodies(node, facts, path):
            yield from outputs(inner, where)


def inputs(facts: Facts, path: tuple[str, ...] = ()) -> Iterator[DeclaredPort]:
    """Yield every input port with a fact."""
    for node in facts.graph.ordered():
        if node.layer is not None:
            for index, outlet in enumerate(facts.graph.sources(node.id)):
                fact = facts.get(outlet)
                if outlet is not None and fact is not None:
                    yield DeclaredPort(node.layer, node.layer.inputs[index], index, fact, outlet, facts, path)
        for inner, where in _bodies(node, facts, path):
            yield from inputs(inner, where)


def _bodies(node: Node, facts: Facts, path: tuple[str, ...]) -> Iterator[tuple[Facts, tuple[str, ...]]]:
    for tag in node.bodies:
        inner = facts.bodies.get((node.id, tag))
        if inner is not None:
            yield inner, (*path, f'{node.type} "{node.name}" › {tag}')


def shape_of(port: PortElement) -> Shape:
    """Return the partial shape declared by the ``<dim>`` elements of a port."""
    return Shape([Dim() if text == "-1" else int(text) for text in port.dims])


def offending(port: PortElement, shape: Shape) -> tuple[int, ...] | None:
    """Return the axes whose ``<dim>`` contradicts a shape; None where the rank does."""
    dims = shape.dims
    if dims is None:
        return ()
    if len(port.dims) != len(dims):
        return None
    wrong = []
    for axis, (text, dim) in enumerate(zip(port.dims, dims, strict=True)):
        if text != "-1" and not dim.lo <= int(text) <= dim.hi:
            wrong.append(axis)
    return tuple(wrong)


def is_open(port: PortElement, shape: Shape) -> bool:
    """Return whether a shape neither confirms nor refutes a number of a port; its rank counts as one."""
    dims = shape.dims
    if dims is None:
        return any(text != "-1" for text in port.dims)
    return any(text != "-1" and dim.lo != dim.hi for text, dim in zip(port.dims, dims, strict=False))


def may_be_of_any_rank(item: DeclaredPort) -> bool:
    """Return whether an output without dims may be of dynamic rank rather than a scalar.

    This is the case where an input of its layer is not static and the rank does not follow from the declared dims
    alone; where a Parameter of a body accepts any rank; and where unknown or empty integer inputs determine the shape:
    OpenVINO then declares no rank, or for a transposed convolution a wrong one.
    """
    if not item.fact.shape.is_static and _has_open_integers(item):
        return set(item.port.dims) <= {"-1"} or _lacks_spatial_axes(item)
    if item.port.dims:
        return False
    op = item.facts.graph.node(item.outlet.node).op
    if isinstance(op, Parameter) and op.shape.rank is None:
        return True
    if _has_open_integers(item, most=0) or _takes_any_rank(item):
        return True
    arrived = zip(item.layer.inputs, item.facts.inputs(item.outlet.node), strict=True)
    open_sizes = any(
        "-1" in port.dims or (not port.dims and (fact is None or fact.rank != 0)) for port, fact in arrived
    )
    return open_sizes and not _has_rank_by_dims(item)


def _takes_any_rank(item: DeclaredPort) -> bool:
    """Return whether an input of the layer is of dynamic rank, and its port has no dims either."""
    arrived = zip(item.layer.inputs, item.facts.inputs(item.outlet.node), strict=True)
    return any(fact is not None and fact.rank is None and not port.dims for port, fact in arrived)


def _lacks_spatial_axes(item: DeclaredPort) -> bool:
    """Return whether a convolution declares its output as [N, C], as OpenVINO does for an unknown output_shape."""
    op, dims = item.facts.graph.node(item.outlet.node).op, item.fact.shape.dims
    if op is None or op.spec.category != "convolution" or dims is None:
        return False
    return len(item.port.dims) == 2 and offending(item.port, Shape(dims[:2])) == ()


def _has_open_integers(item: DeclaredPort, most: int = UNBOUNDED) -> bool:
    """Return whether an input after the first has at most ``most`` integers of unknown value."""
    behind = [fact for fact in item.facts.inputs(item.outlet.node)[1:] if fact is not None]
    return any(fact.type.is_integer and fact.constant is None and fact.shape.size.hi <= most for fact in behind)


def _has_rank_by_dims(item: DeclaredPort) -> bool:
    """Return whether the rank of an output follows from the declared dims of the inputs, without any value."""
    op = item.facts.graph.node(item.outlet.node).op
    if op is None or op.spec.infer_asks:
        return False
    inputs: list[Fact] = []
    for port, fact in zip(item.layer.inputs, item.facts.inputs(item.outlet.node), strict=True):
        if fact is None:
            return False
        scalar = fact.rank == 0 and not port.dims
        inputs.append(Fact(fact.type, shape_of(port) if port.dims or scalar else Shape.unknown()))
    try:
        made = infer(op, inputs)
    except OpError:
        return False
    return item.number < len(made) and made[item.number].rank is not None


def agrees(port: PortElement, type: ElementType) -> bool:
    """Return whether the precision of a port is this type, or one of the two is unknown."""
    declared = element_type(port.precision)
    return declared is None or declared is type or not declared.is_known or not type.is_known


def as_declared(
    ports: Sequence[PortElement], facts: Sequence[Fact | None], dimless: Container[int] = ()
) -> list[Fact | None]:
    """Return the facts of ports, corrected to the declaration where the two contradict each other.

    A port without dims may be of dynamic rank, and contradicts none of the ``dimless`` facts, which are told by their
    identities.
    """
    revised = list(facts)
    for index, (port, fact) in enumerate(zip(ports, facts, strict=False)):
        if fact is None:
            continue
        axes = () if not port.dims and id(fact) in dimless else offending(port, fact.shape)
        declared = element_type(port.precision)
        type = fact.type if declared is None or agrees(port, fact.type) else declared
        if axes is None:
            revised[index] = Fact(type, shape_of(port))
        elif axes or type is not fact.type:
            dims = fact.shape.dims
            shape = None if dims is None else _corrected(dims, port.dims, axes)
            revised[index] = Fact(type, Shape(shape))
    return revised


def _corrected(dims: tuple[Dim, ...], texts: tuple[str, ...], axes: tuple[int, ...]) -> list[Dim]:
    return [Dim.exactly(int(texts[axis])) if axis in axes else dim for axis, dim in enumerate(dims)]


def called(layer: LayerElement) -> str:
    """Return ``layer 7 "relu"``."""
    return f'layer {layer.id} "{layer.name}"' if layer.id else f"layer {layer.type}"
