from __future__ import annotations

from irrun.linter.examples import CONST
from irrun.linter.rule import Rule


class AttributeOutOfRange(Rule):
    """The value of an attribute is outside what the specification allows.

    ## What it does
    Reports numbers below or above the bounds that the specification gives.

    ## Why is this bad
    The result is not defined; OpenVINO mostly says nothing.

    ## Example
    `<data offset="-1" …/>` in a Const.

    ## Use instead
    `<data offset="0" …/>`
    """

    code = "IR306"
    name = "attribute-out-of-range"
    stage = "graph"
    good = (CONST,)
    bad = (CONST.replace('offset="0"', 'offset="-1"'),)
