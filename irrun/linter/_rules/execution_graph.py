from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from irrun.diagnostics import Diagnostic
from irrun.linter.context import Context
from irrun.linter.rule import Rule

MARKS: Final = frozenset({"execOrder", "execTimeMcs", "originalLayersNames", "runtimePrecision"})


class ExecutionGraph(Rule):
    """The file is the execution graph of a compiled model, not a model.

    ## What it does
    Looks for layers as in a dump of `compiled_model.get_runtime_model()`: with the attributes `execOrder`,
    `execTimeMcs` or `originalLayersNames`, and without a `version`. Layers with a version may have these attributes;
    nothing reads them.

    ## Why is this bad
    The dump describes what a device ran: fused nodes, layouts, times. It has no weights and no opsets, and cannot be
    loaded.

    ## Example
    `<layer id="0" name="x" type="Input"><data execOrder="0" execTimeMcs="12" .../>`

    ## Use instead
    The original model: `openvino.save_model(model, "model.xml")`.
    """

    code = "IR111"
    name = "execution-graph"
    explains = ("ALL",)

    def check(self, context: Context) -> Iterator[Diagnostic]:
        net = context.document.net
        if not any(MARKS & layer.data.keys() for layer in net.layers[:3]):
            return
        marked = [layer for layer in net.layers if layer.version is None and len(MARKS & layer.data.keys()) > 1]
        if marked and len(marked) >= len(net.layers) / 2:
            marks = " and ".join(sorted(MARKS & marked[0].data.keys())[:2])
            subject = "an execution graph of a compiled model, expected a model"
            yield self.report(net, f"{subject}: {len(marked)} of {len(net.layers)} layers have {marks}")
