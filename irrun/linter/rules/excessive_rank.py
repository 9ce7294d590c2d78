from __future__ import annotations

from irrun.linter.examples import NET
from irrun.linter.rule import Rule


class ExcessiveRank(Rule):
    """A shape has more than 64 dims.

    ## What it does
    Counts the dims of ports and the dims of shapes in attributes. A port of more than 64 dims ends the check of the
    file.

    ## Why is this bad
    No array of NumPy has so many dims, and nobody needs them: the file is damaged, or made to do harm. OpenVINO says
    nothing of it until a layer takes another rank.

    ## Example
    A Parameter with a `shape` of 65 ones.

    ## Use instead
    The shape that was meant.
    """

    code = "IR404"
    name = "excessive-rank"
    stage = "document"
    good = (NET,)
    bad = (
        NET.replace('shape="2,3"', f'shape="{",".join(["1"] * 65)}"'),
        NET.replace("<dim>2</dim>", "<dim>1</dim>" * 70, 1),
        NET.replace("<dim>2</dim>", "<dim>1</dim>" * 70).replace('shape="2,3"', f'shape="{",".join(["1"] * 70)},3"'),
    )
