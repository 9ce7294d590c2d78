from __future__ import annotations

from irrun.linter.examples import NET
from irrun.linter.rule import Rule


class UnreadableOpAttribute(Rule):
    """The text of an attribute is not of its kind.

    ## What it does
    Reports attributes whose text is no number, no list, no boolean, no element type, no shape, or none of the words
    that the specification lists. What OpenVINO reads without loss is no finding: `0.5f`, `2.0` for 2, `1, 1,`, `True`,
    words in any case.

    ## Why is this bad
    OpenVINO says ``Cannot parse 'a' in "a, b"``, without the layer. Or it says nothing, and reads the 1 of `1,2`, or
    the default in place of `yes`.

    ## Example
    `<data min="zero" max="6"/>` in a Clamp.

    ## Use instead
    `<data min="0" max="6"/>`
    """

    code = "IR305"
    name = "unreadable-op-attribute"
    stage = "graph"
    good = (NET,)
    bad = (NET.replace('min="0"', 'min="zero"'), NET.replace('element_type="f32"', 'element_type="float"'))
