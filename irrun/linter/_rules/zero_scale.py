from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from irrun.diagnostics import Diagnostic, Severity
from irrun.graph import Node, Outlet
from irrun.linter.context import Context
from irrun.linter.rule import Rule
from irrun.linter.scopes import InferredLayer, Scope, inferred_layers
from irrun.linter.spread import spreads
from irrun.tensor import Array

_COMPRESSED_BITS: Final = 8
"""The width of the widest type for compressed weights."""


class _Scale(NamedTuple):
    """A scaling input, its values, and the consequence of a zero.

    ``severity`` applies if some values are 0, ``severity_of_all`` if all are.
    """

    port: int
    values: Array
    consequence: str
    severity: Severity = Severity.WARNING
    severity_of_all: Severity = Severity.WARNING
    noun: str = "scale"


class ZeroScale(Rule):
    """A constant scale is zero.

    ## What it does
    Looks for zeros in constant divisors of float tensors that are not constant, in the scales of FakeConvert, in the
    scales of compressed weights, and in gamma of BatchNormInference and GroupNormalization. A zero divisor is a warning
    where its quotients reach a matrix product, or an output through arithmetic, and an info otherwise, as before a
    Select. Some zeros in gamma or in the scales of weights are an info, since pruned channels and weights that are all
    0 have them; all zeros are a warning.

    ## Why is this bad
    A value divided by 0 becomes infinite or NaN; a value multiplied by 0 is lost, so that the layers before it are
    computed in vain. A calibration without data produces such scales.

    ## Example
    A Divide by the constant `[0.5, 0.0]`.

    ## Use instead
    The scale of a calibration with data, or a small one such as 1e-6 for a channel that is always 0.
    """

    code = "IR608"
    name = "zero-scale"
    opt_in = True
    severity = Severity.WARNING
    needs_sound = "upstream"

    def check(self, context: Context) -> Iterator[Diagnostic]:
        for item in inferred_layers(
            context, "Divide", "FakeConvert", "Multiply", "BatchNormInference", "GroupNormalization"
        ):
            scale = _scale(item)
            if scale is None:
                continue
            zeros = scale.values.size - int(np.count_nonzero(scale.values))
            if not zeros:
                continue
            yield self.report(
                item,
                f"{zeros} of {scale.values.size} {scale.noun}s {'is' if zeros == 1 else 'are'} 0: {scale.consequence}",
                port=item.layer.inputs[scale.port],
                severity=scale.severity_of_all if zeros == scale.values.size else scale.severity,
            )


def _scale(item: InferredLayer) -> _Scale | None:
    match item.node.type:
        case "Divide":
            if not item.outputs[0].type.is_float or _constant(item, 0, "") is not None:
                return None
            found = _constant(item, 1, "quotients become infinite, or NaN where the dividend is 0")
            if found is None:
                return None
            severity = (
                Severity.WARNING if spreads(item.scope, Outlet(item.node.id, 0), computed=True) else Severity.INFO
            )
            return found._replace(noun="divisor", severity=severity, severity_of_all=severity)
        case "FakeConvert":
            return _constant(item, 1, "the final division by it gives NaN")
        case "Multiply":
            weights = next((port for port in (0, 1) if _is_compressed(item, port)), None)
            scale = None if weights is None else _constant(item, 1 - weights, "the weights that it scales are lost")
            return None if scale is None else scale._replace(severity=Severity.INFO)
    port = 0 if item.inputs[0].rank == 1 else 1  # BatchNormInference-1 has gamma before the data
    gamma = _constant(item, port, "the channel no longer depends on the input")
    return None if gamma is None else gamma._replace(severity=Severity.INFO)


def _constant(item: InferredLayer, port: int, consequence: str) -> _Scale | None:
    """Return the numbers that an input holds, through layers that keep values; None if they are not constant."""
    outlet = _origin(item.scope, item.scope.graph.sources(item.node.id)[port])
    fact = None if outlet is None or item.scope.facts is None else item.scope.facts.get(outlet)
    values = None if fact is None else fact.constant
    if values is None or values.size == 0 or values.dtype.kind not in "fiu":
        return None
    return _Scale(port, values, consequence)


def _origin(scope: Scope, outlet: Outlet | None) -> Outlet | None:
    """Return the source of a tensor's values, through layers that only convert or reshape."""
    while outlet is not None and _keeps_values(scope.graph.node(outlet.node)):
        outlet = scope.graph.sources(outlet.node)[0]
    return outlet


def _keeps_values(node: Node) -> bool:
    return node.op is not None and (node.op.view or node.type == "Convert")


def _is_compressed(item: InferredLayer, port: int) -> bool:
    """Return whether an input comes from constant numbers of few bits, with or without a zero point."""
    scope = item.scope
    outlet = scope.graph.sources(item.node.id)[port]
    if outlet is not None and scope.graph.node(outlet.node).type == "Subtract":
        outlet = scope.graph.sources(outlet.node)[0]
    outlet = _origin(scope, outlet)
    if outlet is None or scope.facts is None or scope.graph.node(outlet.node).type != "Const":
        return False
    fact = scope.facts.get(outlet)
    return fact is not None and fact.type.bits <= _COMPRESSED_BITS and fact.type.kind != "boolean"
