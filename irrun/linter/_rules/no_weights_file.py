from __future__ import annotations

from collections.abc import Iterator

from irrun.diagnostics import Diagnostic, Severity
from irrun.linter.constants import constants
from irrun.linter.context import Context
from irrun.linter.rule import Rule


class NoWeightsFile(Rule):
    """The model has constants, but there is no weights file beside it.

    ## What it does
    Looks for the `.bin` of a model whose constants refer to it. A bare layer does not need one.

    ## Why is this bad
    Without the file, the linter cannot check the weights, nor shapes that are computed from constants. OpenVINO
    requires it and says `Empty weights data in bin file or bin file cannot be found!`.

    ## Example
    `model.xml` alone, with a Const of `size="8"`.

    ## Use instead
    `model.xml` and `model.bin` side by side, or `--weights`.
    """

    code = "IR504"
    name = "no-weights-file"
    severity = Severity.INFO

    def check(self, context: Context) -> Iterator[Diagnostic]:
        weights = context.document.weights
        if context.document.fragment or weights.exists or weights.is_pointer:
            return
        found = [item for item in constants(context) if item.op.size > 0]
        if found:
            layers = f"{len(found)} constant{'s' if len(found) > 1 else ''}"
            where = "" if weights.path is None else f" {weights.path.name}"
            what = f"there is no file{where} with the bytes of {layers}: shapes that depend on them are not checked"
            yield self.report(context.document.net, what)
