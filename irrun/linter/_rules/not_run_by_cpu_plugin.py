from __future__ import annotations

from collections.abc import Iterator

from irrun.diagnostics import Diagnostic, Severity
from irrun.linter.context import Context
from irrun.linter.rule import Rule
from irrun.linter.scopes import InferredLayer, by_type, inferred_layers, remarkable


class NotRunByCpuPlugin(Rule):
    """OpenVINO's CPU plugin refuses the layer, fails on it, or computes a different result.

    ## What it does
    Looks for valid forms of operations with a known fault in the plugin: tensors that lose their rank, a Gather of no
    indices, an LRN or a reduction along no axes, sequences of dynamic shape with lengths, and others.

    ## Why is this bad
    The model loads and then fails, crashes the process, or deviates from the specification.

    ## Example
    An LRN with an empty list of axes.

    ## Use instead
    An equivalent form: no LRN instead of one without axes, a known rank, fixed sizes.
    """

    code = "IR702"
    name = "not-run-by-cpu-plugin"
    opt_in = True
    severity = Severity.INFO
    needs_sound = "file"

    def check(self, context: Context) -> Iterator[Diagnostic]:
        for item in remarkable(context):
            yield from self._finding(item, _dynamic_rank(item, has_weights=context.document.weights.exists))
        for item in inferred_layers(context, *_types(context)):
            if all(fact.rank is not None for fact in item.outputs):
                yield from self._finding(item, _departure(item))

    def _finding(self, item: InferredLayer, what: str | None) -> Iterator[Diagnostic]:
        if what is not None:
            yield self.report(item, f"OpenVINO's CPU plugin {what}")


def _types(context: Context) -> Iterator[str]:
    """Yield the types of layers with a departure that can be recognised."""
    for type, placed in by_type(context).items():
        if any(item.node.op is not None and item.node.op.spec.recognised for item in placed):
            yield type


def _departure(item: InferredLayer) -> str | None:
    """Return the first departure that the operation declares and this layer shows."""
    op = item.node.op
    if op is None:
        return None
    return next((text for known in op.spec.recognised if (text := known.found(op, item)) is not None), None)


def _dynamic_rank(item: InferredLayer, *, has_weights: bool) -> str | None:
    """Report an output that loses its rank; not in loops, where only the inference may lose it.

    Without weights, an output has the rank that its port declares.
    """
    if item.node.type == "Parameter" or item.node.bodies or item.scope.path:
        return None
    if any(fact.rank is None for fact in item.inputs):
        return None
    ports = zip(item.layer.outputs, item.outputs, strict=False)
    unknown = next(
        (index for index, (port, fact) in enumerate(ports) if fact.rank is None and (has_weights or not port.dims)),
        None,
    )
    return None if unknown is None else f"refuses tensors of dynamic rank, as output {unknown} is"
