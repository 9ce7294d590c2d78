from __future__ import annotations

from irrun.linter.rule import Rule
from irrun.ops import registry
from irrun.ops.importing import ExtensionError


class UnknownOperation(Rule):
    """The opset has no operation of this type.

    ## What it does
    Reports layers whose type is not an operation of the opset that their version names, with a similar type or the
    opset that has it. A version unlike any opset, such as `extension`, is taken as the domain of a library, whose
    operations are not reported, unless all of them have names from the opsets.

    ## Why is this bad
    OpenVINO refuses the file. OpenVINO and irrun accept a type in another case, such as `Relu` for `ReLU`.

    ## Example
    `type="SoftMax" version="opset99"`, or `type="Sofmax"`

    ## Use instead
    `type="SoftMax" version="opset8"`
    """

    code = "IR301"
    name = "unknown-operation"
    faults = (registry.UnknownOperation, ExtensionError)
    breaks = ("layer",)
