"""Declared shapes that contradict what is known of an output whose inferred shape is open."""

from __future__ import annotations

from collections.abc import Sequence

from irrun.document.places import layer_ref
from irrun.document.records import LayerElement
from irrun.graph import Outlet
from irrun.linter.context import Context
from irrun.linter.counts import is_miscounted
from irrun.linter.declared import DeclaredPort, may_be_of_any_rank, shape_of
from irrun.ops import Op, OpError
from irrun.ops.blame import called
from irrun.ops.calling import padded
from irrun.ops.refuting import Refutation
from irrun.tensor import Fact, Shape


def refutation(context: Context, item: DeclaredPort) -> Refutation | None:
    """Return why an output cannot have its declared shape, whatever unknown values are; None where it can.

    As for inferred dims, the fault is the layer's where both the inputs that arrive and the declared ones show it.
    """
    node = item.facts.graph.node(item.outlet.node)
    op = node.op
    if op is None or (op.refute is None and not op.alike) or context.doubtful(layer_ref(item.layer)):
        return None
    if item.fact.shape.is_static or is_miscounted(item, context):
        return None
    other = _differing(op, item)
    if other is not None:
        return other
    found = _refuted(op, item.layer, item.facts.inputs(node.id), item.number)
    if found is None or (found.axis is None and may_be_of_any_rank(item)):
        return None
    local = context.inputs_by_declaration(item)
    return found if local is None else _refuted(op, item.layer, local, item.number)


def _differing(op: Op, item: DeclaredPort) -> Refutation | None:
    """Return how a number differs from that of an earlier output, which has the same size."""
    for other in (other for group in op.alike if item.number in group for other in group if other < item.number):
        fact, port = item.facts.get(Outlet(item.outlet.node, other)), item.layer.outputs[other]
        if fact is None or fact.shape.dims is None or item.fact.shape.dims is None:
            continue
        sizes = zip(item.fact.shape, fact.shape, item.port.dims, port.dims, strict=False)
        for axis, (size, other_size, text, other_text) in enumerate(sizes):
            if (
                not size.is_static
                and not other_size.is_static
                and "-1" not in (text, other_text)
                and text != other_text
            ):
                what = f"axis {axis} is {text}, expected {other_text} as in output port {port.id}"
                return Refutation(what, axis, item.number)
    return None


def _refuted(op: Op, layer: LayerElement, inputs: Sequence[Fact | None], output: int) -> Refutation | None:
    """Return how a declared output is refuted; None where it is not, and where the inputs do not fit the operation."""
    if op.refute is None or len(inputs) < op.spec.least_inputs:
        return None
    declared = [shape_of(port) if port.dims else Shape.unknown() for port in layer.outputs]
    try:
        refuted = called(op, "refute", declared, *padded(op, inputs))
        return next((item for item in refuted if item.output == output), None)
    except OpError:
        return None
