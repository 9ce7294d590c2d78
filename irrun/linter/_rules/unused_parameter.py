from __future__ import annotations

from collections.abc import Iterator

from irrun.diagnostics import Diagnostic, Severity
from irrun.linter.context import Context
from irrun.linter.rule import Rule
from irrun.linter.scopes import ENDS, joined, unread


class UnusedParameter(Rule):
    """An input of the model is never used.

    ## What it does
    Looks for a `Parameter` of the model whose output feeds no layer.

    ## Why is this bad
    Callers must pass a tensor that has no effect. This may happen when a model is cut or converted; it is allowed, and
    sometimes intended.

    ## Example
    A Parameter "mask" without an edge from it.

    ## Use instead
    Add an edge from the Parameter, or remove it.
    """

    code = "IR212"
    name = "unused-parameter"
    opt_in = True
    severity = Severity.INFO
    needs_sound = "file"

    def check(self, context: Context) -> Iterator[Diagnostic]:
        if not joined(context) or not any(node.type in ENDS for node in context.bound.graph.ordered()):
            return
        for item in unread(context):
            if item.node.type == "Parameter" and not item.path:
                yield self.report(item, "no layer reads this input of the model")
