from __future__ import annotations

from irrun.linter.rule import Rule
from irrun.ops.calling import WrongInputCount


class WrongNumberOfInputs(Rule):
    """A layer has more or fewer inputs than its operation.

    ## What it does
    Compares the number of input ports with the operation's declaration.

    ## Why is this bad
    OpenVINO refuses the file, often without naming the layer.

    ## Example
    A Tile with one input.

    ## Use instead
    A Tile with data and repeats.
    """

    code = "IR307"
    name = "wrong-number-of-inputs"
    faults = (WrongInputCount,)
