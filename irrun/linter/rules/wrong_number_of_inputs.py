from __future__ import annotations

from irrun.linter.examples import TILE
from irrun.linter.rule import Rule


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
    stage = "facts"
    good = (TILE,)
    bad = (TILE.replace('<port id="1" precision="I64"><dim>2</dim></port>', ""),)
