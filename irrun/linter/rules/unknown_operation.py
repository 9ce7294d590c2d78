from __future__ import annotations

from irrun.linter.examples import NET
from irrun.linter.rule import Rule


class UnknownOperation(Rule):
    """No operation of this type is in this opset.

    ## What it does
    Reports layers whose type is no operation, or one of a later opset than their version, with a near match or the
    opset that has it.

    ## Why is this bad
    OpenVINO refuses the file. A type in another case, such as `Relu` for `ReLU`, it accepts: there only readers that
    compare types as they are written fail.

    ## Example
    `type="SoftMax" version="opset99"`, or `type="Sofmax"`

    ## Use instead
    `type="SoftMax" version="opset8"`
    """

    code = "IR301"
    name = "unknown-operation"
    stage = "graph"
    good = (NET,)
    bad = (
        NET.replace('"Clamp"', '"Clmap"'),
        NET.replace('"Clamp" version="opset1"', '"Clamp" version="opset99"'),
        NET.replace('"Clamp"', '"Mish"'),
    )
