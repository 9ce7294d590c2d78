from __future__ import annotations

from irrun.linter.examples import NET
from irrun.linter.rule import Rule


class MissingPrecision(Rule):
    """An output port has no precision.

    ## What it does
    Reports output ports without the attribute `precision`. Input ports do not need one, nor do bare layers, as in the
    examples of the specification.

    ## Why is this bad
    OpenVINO refuses the file: `node <port> is missing mandatory attribute: precision at offset 402`.

    ## Example
    `<output><port id="1">`

    ## Use instead
    `<output><port id="1" precision="FP32">`
    """

    code = "IR103"
    name = "missing-precision"
    stage = "document"
    good = (NET, NET.replace('<input><port id="0" precision="FP32">', '<input><port id="0">'))
    bad = (NET.replace('<port id="1" precision="FP32">', '<port id="1">'),)
