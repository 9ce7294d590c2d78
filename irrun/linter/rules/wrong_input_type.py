from __future__ import annotations

from irrun.linter.examples import TILE
from irrun.linter.rule import Rule


class WrongInputType(Rule):
    """An input has an element type that the operation does not take.

    ## What it does
    Compares the element type that arrives with those that the specification allows for the input.

    ## Why is this bad
    OpenVINO refuses the file, or converts the tensor in silence.

    ## Example
    A Tile whose repeats are f32.

    ## Use instead
    Repeats of i64.
    """

    code = "IR308"
    name = "wrong-input-type"
    stage = "facts"
    good = (TILE,)
    bad = (TILE.replace('precision="I64"', 'precision="FP32"'),)
