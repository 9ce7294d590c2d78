from __future__ import annotations

from irrun.diagnostics import Severity
from irrun.linter.rule import Rule

SOFTMAX = """<layer id="1" name="scores" type="SoftMax" version="opset1">
    <data axis="1"/>
    <input><port id="0" precision="FP32"><dim>2</dim><dim>3</dim></port></input>
    <output><port id="1" precision="FP32"><dim>2</dim><dim>3</dim></port></output>
</layer>
"""


class ChangedDefault(Rule):
    """An attribute is absent, and OpenVINO takes another default than the specification says.

    ## What it does
    Reports optional attributes that are absent where the default of the specification and that of OpenVINO differ.

    ## Why is this bad
    Whoever reads the specification expects one thing, and the model does another.

    ## Example
    A SoftMax of opset1 without `axis`: the specification says 1, OpenVINO reads 0.

    ## Use instead
    `<data axis="1"/>`
    """

    code = "IR310"
    name = "changed-default"
    severity = Severity.WARNING
    stage = "graph"
    good = (SOFTMAX,)
    bad = (SOFTMAX.replace('<data axis="1"/>', ""),)
