"""The verdict on each declared output port: verified, refuted, or undecided for a reason that can be named."""

from __future__ import annotations

from collections import Counter

from irrun.diagnostics.verified import Unverified, Verified
from irrun.document.places import layer_ref
from irrun.document.records import PortElement
from irrun.linter._rules.wrong_output_dims import WrongOutputDims
from irrun.linter.context import Context
from irrun.linter.declared import DeclaredPort, is_open, may_be_of_any_rank, offending
from irrun.linter.reasons import Reasons
from irrun.linter.scopes import scopes
from irrun.ops.extension import Extension


def verified(context: Context) -> Verified:
    """Count the output ports of a file by verdict, undecided ones by reason.

    A port is undecided where inference neither confirms nor refutes one of its numbers. Ports without a fact count if
    they declare a number.
    """
    reasons = Reasons(context)
    count, refuted, seen = 0, 0, set[int]()
    undecided = Counter[str]()
    for item in context.outputs:
        seen.add(item.port.element)
        confirmed = _is_confirmed(context, item)
        if confirmed is None:
            undecided[reasons.of(item.facts, item.outlet.node)] += 1
        count += confirmed is True
        refuted += confirmed is False
    for scope in scopes(context):
        for id in scope.graph:
            layer = scope.graph.node(id).layer
            for port in () if layer is None else layer.outputs:
                if port.element not in seen and _has_numbers(port):
                    undecided[reasons.without_facts(scope, id)] += 1
    return Verified(count, tuple(Unverified(reason, ports) for reason, ports in undecided.items()), refuted)


def _is_confirmed(context: Context, item: DeclaredPort) -> bool | None:
    """Return whether inference confirms the numbers of an output; False where it refutes one, None if undecided."""
    shape = item.fact.shape
    axes = offending(item.port, shape)
    if isinstance(item.facts.graph.node(item.outlet.node).op, Extension):
        return None if _has_numbers(item.port) else True
    if context.doubtful(layer_ref(item.layer)):
        return None if _has_numbers(item.port) else True
    if axes == () and shape.is_static and "-1" not in item.port.dims:
        return True
    if WrongOutputDims().wrong(context, item) is not None:
        return False
    if axes is None and may_be_of_any_rank(item):
        return None if _has_numbers(item.port) else True
    if axes != ():
        local = context.output_by_declaration(item)
        if local is None or offending(item.port, local.shape) != ():
            return True
        shape = local.shape
    return None if is_open(item.port, shape) else True


def _has_numbers(port: PortElement) -> bool:
    return any(text != "-1" for text in port.dims)
