from __future__ import annotations

from irrun.linter.rule import Rule
from irrun.ops.attributes import AttributeUnreadable


class UnreadableOpAttribute(Rule):
    """The text of an attribute cannot be read.

    ## What it does
    Reports attributes whose text is not a number, list, boolean, element type, shape or listed word, as the
    specification requires. Texts that OpenVINO reads without loss are not reported: `0.5f`, `2.0` for 2, `1, 1,`,
    `True`, words in any case.

    ## Why is this bad
    OpenVINO says ``Cannot parse 'a' in "a, b"``, without naming the layer. Or it silently reads the 1 of `1,2`, or uses
    the default instead of `yes`.

    ## Example
    `<data min="zero" max="6"/>` in a Clamp.

    ## Use instead
    `<data min="0" max="6"/>`
    """

    code = "IR305"
    name = "unreadable-op-attribute"
    faults = (AttributeUnreadable,)
    breaks = ("layer",)
