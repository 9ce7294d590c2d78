from __future__ import annotations

from irrun.diagnostics import Severity
from irrun.document import faults
from irrun.linter.rule import Rule


class UnknownAttribute(Rule):
    """An element has an attribute that is not part of the IR format.

    ## What it does
    Reports unknown attributes of `<net>`, `<layer>`, `<port>`, `<edge>` and the entries of port maps. One that
    resembles a missing attribute is read as that attribute. The attributes of `<data>` belong to the operation, see
    IR302.

    ## Why is this bad
    OpenVINO silently ignores the attribute, so that the intended one has no effect.

    ## Example
    `<port id="1" precison="FP32">`

    ## Use instead
    `<port id="1" precision="FP32">`
    """

    code = "IR105"
    name = "unknown-attribute"
    severity = Severity.WARNING
    faults = (faults.UnknownAttribute,)
    breaks = ("structure",)
