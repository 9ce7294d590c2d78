"""Shapes that attributes state: what the ports of Parameters, constants and variables must repeat."""

from __future__ import annotations

from typing import NamedTuple

from irrun.document.faults import UnreadableDim
from irrun.document.grammar import LEGACY
from irrun.document.records import PortElement
from irrun.linter.context import Context
from irrun.linter.declared import DeclaredPort
from irrun.linter.scopes import once
from irrun.ops._declared.infrastructure.const import Const
from irrun.ops._declared.infrastructure.parameter import Parameter
from irrun.ops._declared.infrastructure.read_value import ReadValue6
from irrun.tensor import Shape


class AttributeShape(NamedTuple):
    """An attribute and the shape that it states."""

    name: str
    shape: Shape


def attribute_shape(item: DeclaredPort, context: Context) -> AttributeShape | None:
    """Return the attribute that states the shape of an output; None where inference does, or in IR version 10.

    In a body, a Parameter has the shape of what arrives. A port with an unreadable dim says nothing.
    """
    op = item.facts.graph.node(item.outlet.node).op
    if context.document.net.version == LEGACY or not _unreadable(context).isdisjoint(item.port.dim_elements):
        return None
    if isinstance(op, Const) or (isinstance(op, Parameter) and not item.path):
        return AttributeShape("shape", op.shape)
    if isinstance(op, ReadValue6) and op.variable_type.is_known:
        return AttributeShape("variable_shape", op.variable_shape)
    return None


@once
def _unreadable(context: Context) -> frozenset[int]:
    """Return the elements of the dims that cannot be read."""
    found = (item for item in context.document.diagnostics if item.code == UnreadableDim.code)
    return frozenset(item.anchor.element for item in found if item.anchor.element is not None)


def says(port: PortElement, shape: Shape) -> bool:
    """Return whether a port repeats a shape: sizes, and -1 for dynamic ones; for a dynamic rank no sizes."""
    return set(port.dims) <= {"-1"} if shape.dims is None else port.dims == dims_of(shape)


def dims_of(shape: Shape) -> tuple[str, ...]:
    return tuple(str(dim.lo) if dim.is_static else "-1" for dim in shape)
