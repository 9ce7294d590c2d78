from __future__ import annotations

from irrun.linter.examples import CONST
from irrun.linter.rule import Rule


class WeightsOutOfRange(Rule):
    """A constant reaches beyond the end of the file of weights.

    ## What it does
    Compares offset and size of each constant with the size of the `.bin`. There is one finding for a file, at the
    first such constant, with the number of the others. Without a `.bin` nothing is reported.

    ## Why is this bad
    The file was cut off, or belongs to another model. OpenVINO says `Incorrect weights in bin file!`.

    ## Example
    `offset="4" size="8"` in a file of 8 bytes.

    ## Use instead
    The `.bin` that was written with the `.xml`.
    """

    code = "IR502"
    name = "weights-out-of-range"
    stage = "weights"
    good = (CONST,)
    bad = (
        CONST.replace('offset="0"', 'offset="4"'),
        CONST.replace('offset="0"', 'offset="4"') + CONST.replace('offset="0"', 'offset="9"'),
    )
    weights = bytes(8)
