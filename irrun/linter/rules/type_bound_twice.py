from __future__ import annotations

from irrun.linter.examples import ADD
from irrun.linter.rule import Rule


class TypeBoundTwice(Rule):
    """Inputs that must be of one type are of two.

    ## What it does
    Compares the element types of the inputs that share a type variable in the specification. An input that OpenVINO
    takes in a type of its own, such as the slope of a PReLU or the limits of a FakeQuantize, is not compared.

    ## Why is this bad
    The operation is not defined for them. OpenVINO refuses the file.

    ## Example
    An Add of f32 and f16.

    ## Use instead
    A Convert in front of one of them.
    """

    code = "IR309"
    name = "type-bound-twice"
    stage = "facts"
    good = (ADD,)
    bad = (ADD.replace('<port id="1" precision="FP32">', '<port id="1" precision="FP16">'),)
