from __future__ import annotations

from collections.abc import Iterator

from irrun.diagnostics import Diagnostic, Severity
from irrun.document.places import layer_ref
from irrun.graph import Node
from irrun.linter.context import Context
from irrun.linter.rule import Rule
from irrun.linter.scopes import ENDS, joined


class NoResult(Rule):
    """The model has no output.

    ## What it does
    Looks for a `Result`, or an `Assign`, among the layers of the model.

    ## Why is this bad
    The model computes nothing. OpenVINO reads it without a message.

    ## Example
    A Parameter and a Clamp.

    ## Use instead
    A `Result` that the Clamp feeds.
    """

    code = "IR211"
    name = "no-result"
    severity = Severity.WARNING

    def check(self, context: Context) -> Iterator[Diagnostic]:
        net = context.document.net
        if not joined(context) or not net.layers:
            return
        if not any(_may_be_end(context, node) for node in context.bound.graph.ordered()):
            what = f"none of the {len(net.layers)} layers is a Result, expected one for each output of the model"
            yield self.report(net, what)


def _may_be_end(context: Context, node: Node) -> bool:
    """Return whether a layer is an end of the model, or has no output and is faulty."""
    if node.type in ENDS or node.outputs or node.layer is None:
        return node.type in ENDS
    ref = layer_ref(node.layer)
    return node.op is None or context.doubtful(ref) or any(item.layer == ref for item in context.failures())
