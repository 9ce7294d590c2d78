from __future__ import annotations

from irrun.linter.rule import Rule
from irrun.ops import attributes


class AttributeOutOfRange(Rule):
    """The value of an attribute is outside the range that the specification allows.

    ## What it does
    Reports numbers outside the bounds given by the specification.

    ## Why is this bad
    The result is undefined, and OpenVINO usually does not report it.

    ## Example
    `<data offset="-1" …/>` in a Const.

    ## Use instead
    `<data offset="0" …/>`
    """

    code = "IR306"
    name = "attribute-out-of-range"
    faults = (attributes.AttributeOutOfRange,)
    breaks = ("layer",)
