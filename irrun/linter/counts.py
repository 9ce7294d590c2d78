"""Layers whose number of outputs may differ from that of their operation."""

from __future__ import annotations

from irrun.graph import Outlet
from irrun.linter.context import Context
from irrun.linter.declared import DeclaredPort
from irrun.linter.scopes import once


def is_miscounted(item: DeclaredPort, context: Context) -> bool:
    """Return whether the number of a layer's outputs differs from its operation's, or an output is repeated."""
    return has_surplus(item) or has_twins(item, context) or _lacks_some(item)


def has_twins(item: DeclaredPort, context: Context) -> bool:
    """Return whether outputs of one layer share an id, so that one of them may be repeated."""
    return item.layer.element in _with_twins(context)


def has_surplus(item: DeclaredPort) -> bool:
    """Return whether the layer of an output has more outputs than its operation."""
    last = len(item.layer.outputs) - 1
    return item.number < last and item.facts.get(Outlet(item.outlet.node, last)) is None


def lacking(item: DeclaredPort) -> int:
    """Return the number of outputs that a layer lacks, for operations with a variable number of them."""
    if not _lacks_some(item):
        return 0
    count = len(item.layer.outputs)
    return len(item.facts.outlets(item.outlet.node)) - count


def _lacks_some(item: DeclaredPort) -> bool:
    node = item.facts.graph.node(item.outlet.node)
    if node.op is None or node.bodies or not node.op.outputs or not node.op.outputs[-1].variadic:
        return False
    return item.facts.get(Outlet(item.outlet.node, len(item.layer.outputs))) is not None


@once
def _with_twins(context: Context) -> frozenset[int]:
    """Return the elements of the layers that have outputs of one id."""
    layers = {item.layer.element: item.layer for item in context.outputs}
    return frozenset(
        element for element, layer in layers.items() if len({port.id for port in layer.outputs}) < len(layer.outputs)
    )
