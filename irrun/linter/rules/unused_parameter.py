from __future__ import annotations

from collections.abc import Iterator

from irrun.diagnostics import Anchor, Diagnostic, Severity
from irrun.document.places import layer_ref
from irrun.linter.context import Context
from irrun.linter.examples import NET
from irrun.linter.rule import Rule
from irrun.linter.scopes import ENDS, joined, unread

_SPARE = """<layer id="7" name="mask" type="Parameter" version="opset1">
            <data shape="2" element_type="f32"/>
            <output><port id="0" precision="FP32"><dim>2</dim></port></output>
        </layer>
    </layers>"""


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
    stage = "graph"
    good = (NET,)
    bad = (NET.replace("</layers>", _SPARE),)

    def check(self, context: Context) -> Iterator[Diagnostic]:
        if not joined(context) or not any(node.type in ENDS for node in context.bound.graph):
            return
        for node, scope in unread(context):
            if node.type == "Parameter" and node.layer is not None and not scope.path:
                what = "no layer reads this input of the model"
                yield Diagnostic(
                    self.code,
                    what,
                    Anchor(node.layer.element),
                    self.severity,
                    layer_ref(node.layer),
                )
