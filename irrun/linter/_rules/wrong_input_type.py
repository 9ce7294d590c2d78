from __future__ import annotations

from irrun.linter.rule import Rule
from irrun.ops import calling


class WrongInputType(Rule):
    """An input has an element type that the operation does not accept.

    ## What it does
    Compares the element type of each input with those that the specification allows.

    ## Why is this bad
    OpenVINO refuses the file, or silently converts the tensor.

    ## Example
    A Tile with repeats of f32.

    ## Use instead
    Repeats of i64.
    """

    code = "IR308"
    name = "wrong-input-type"
    faults = (calling.WrongInputType,)
