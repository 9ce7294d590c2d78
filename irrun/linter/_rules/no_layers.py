from __future__ import annotations

from collections.abc import Iterator

from irrun.diagnostics import Diagnostic, Severity
from irrun.linter.context import Context
from irrun.linter.rule import Rule
from irrun.linter.scopes import joined


class NoLayers(Rule):
    """The model has no layers.

    ## What it does
    Looks for a `<layer>` in `<net>`.

    ## Why is this bad
    The writer stopped early, or all layers were removed. OpenVINO reads the file without a message.

    ## Example
    `<net name="net" version="11"><layers/><edges/></net>`

    ## Use instead
    A Parameter, a Result, and the layers between them.
    """

    code = "IR213"
    name = "no-layers"
    severity = Severity.WARNING

    def check(self, context: Context) -> Iterator[Diagnostic]:
        net = context.document.net
        if not net.layers and joined(context):
            yield self.report(net, "the model has no layers")
