from __future__ import annotations

from irrun.diagnostics import Severity
from irrun.linter.examples import NET
from irrun.linter.rule import Rule


class UnknownAttribute(Rule):
    """An element has an attribute that no IR gives it.

    ## What it does
    Reports attributes of `<net>`, `<layer>`, `<port>`, `<edge>` and the entries of port maps that the format does
    not have. One that is close to an attribute that is missing is read as that. Those of `<data>` belong to the
    operation, see IR302.

    ## Why is this bad
    OpenVINO passes over them in silence; what was meant has no effect.

    ## Example
    `<port id="1" precison="FP32">`

    ## Use instead
    `<port id="1" precision="FP32">`
    """

    code = "IR105"
    name = "unknown-attribute"
    severity = Severity.WARNING
    stage = "document"
    good = (NET,)
    bad = (
        NET.replace('version="11"', 'version="11" batch="1"'),
        NET.replace('<port id="1" precision', '<port id="1" precison'),
        NET.replace('to-layer="2"', 'into="2"'),
    )
