from __future__ import annotations

from irrun.document import faults
from irrun.graph.attributes import RankTooHigh
from irrun.linter.rule import Rule


class ExcessiveRank(Rule):
    """A shape has more than 64 dims.

    ## What it does
    Counts the dims of ports and of shapes in attributes. A port with more than 64 dims ends the check of the file.

    ## Why is this bad
    NumPy arrays have at most 64 dims, and no model needs more: the file is damaged or malicious. OpenVINO does not
    notice until a layer requires a certain rank.

    ## Example
    A Parameter with a `shape` of 65 ones.

    ## Use instead
    The intended shape.
    """

    code = "IR404"
    name = "excessive-rank"
    faults = (faults.ExcessiveRank, RankTooHigh)
    breaks = ("layer",)
