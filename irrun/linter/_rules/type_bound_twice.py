from __future__ import annotations

from irrun.linter.rule import Rule
from irrun.ops import calling


class TypeBoundTwice(Rule):
    """Inputs that must have the same element type have different ones.

    ## What it does
    Compares the element types of the inputs that share a type variable in the specification. Inputs whose type OpenVINO
    does not require to match, such as the slope of a PReLU or the limits of a FakeQuantize, are not compared.

    ## Why is this bad
    The operation is not defined for different types. OpenVINO refuses the file.

    ## Example
    An Add of f32 and f16.

    ## Use instead
    A Convert before one of them.
    """

    code = "IR309"
    name = "type-bound-twice"
    faults = (calling.TypeBoundTwice,)
