from __future__ import annotations

from irrun.linter.examples import NET
from irrun.linter.rule import Rule


class UnknownOperation(Rule):
    """No operation of this type is in this opset.

    ## What it does
    Reports layers whose type is no operation, or one of another opset than their version, with a near match or the
    opset that has it. A version that no opset is close to, such as `extension`, is the domain of a library, and its
    operations are not unknown; where all of them are called like those of opsets, the version is taken for a slip.

    ## Why is this bad
    OpenVINO refuses the file. A type in another case, such as `Relu` for `ReLU`, it accepts, and so does irrun.

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
        NET.replace('"Clamp" version="opset1"', '"Clamp" version="extension"'),
        NET.replace('"Clamp"', '"Mish"'),
    )
