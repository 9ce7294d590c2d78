from __future__ import annotations

from irrun.document import weights
from irrun.linter.rule import Rule


class WeightsOutOfRange(Rule):
    """A constant extends beyond the end of the weights file.

    ## What it does
    Compares offset and size of each constant with the size of the `.bin`. Only the first of these constants is
    reported, with the number of others. Without a `.bin` nothing is reported.

    ## Why is this bad
    The file was truncated, or belongs to another model. OpenVINO says `Incorrect weights in bin file!`.

    ## Example
    `offset="4" size="8"` in a file of 8 bytes.

    ## Use instead
    The `.bin` that was written with the `.xml`.
    """

    code = "IR502"
    name = "weights-out-of-range"
    faults = (weights.WeightsOutOfRange,)
    merges = ("constant reaches beyond it", "constants reach beyond it")
