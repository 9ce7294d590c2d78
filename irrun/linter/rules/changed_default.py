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
    """An attribute is absent, and OpenVINO's default differs from the specification's.

    ## What it does
    Reports absent optional attributes for which the specification and OpenVINO have different defaults.

    ## Why is this bad
    The model does not compute what a reader of the specification expects.

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
