from __future__ import annotations

from collections.abc import Iterator

from irrun.diagnostics import Diagnostic, Severity
from irrun.linter.context import Context
from irrun.linter.rule import Rule
from irrun.linter.scopes import by_type, inferred_layers


class TypeBeyondThePage(Rule):
    """An input has an element type that the specification excludes and OpenVINO computes.

    ## What it does
    Reports booleans where the specification allows numbers only, floats as axes, lengths and counts, integers as
    factors, and numbers as truth values, where OpenVINO's CPU plugin converts them.

    ## Why is this bad
    OpenVINO and irrun compute the layer. Other readers may not.

    ## Example
    A CumSum of booleans, of which a Convert makes counts.

    ## Use instead
    A Convert before the layer.
    """

    code = "IR317"
    name = "type-beyond-the-page"
    opt_in = True
    severity = Severity.INFO

    def check(self, context: Context) -> Iterator[Diagnostic]:
        beyond = [type for type, (first, *_) in by_type(context).items() if first.node.op and first.node.op.spec.also]
        for item in inferred_layers(context, *beyond):
            spec = item.node.op.spec if item.node.op is not None else None
            for index, fact in enumerate(item.inputs):
                port = None if spec is None else spec.input(index)
                if port is not None and fact.type in port.also:
                    what = f"input {index} ({port.name}) is {fact.type}, which the specification excludes"
                    yield self.report(item, f"{what}; OpenVINO computes it as {port.also[fact.type]}")
