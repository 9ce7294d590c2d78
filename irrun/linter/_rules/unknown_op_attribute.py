from __future__ import annotations

from irrun.linter.rule import Rule
from irrun.ops.attributes import AttributeUnknown


class UnknownOpAttribute(Rule):
    """The operation has no such attribute.

    ## What it does
    Reports attributes of `<data>` that the operation does not declare in this version. One that resembles an absent
    attribute is read as that attribute. Known leftovers of old writers are not reported: `irrun ops TYPE` lists them.

    ## Why is this bad
    OpenVINO silently ignores it and uses a default: with `stridez` for `strides`, the output of a Convolution changes
    its size.

    ## Example
    `<data mim="0" max="6"/>` in a Clamp.

    ## Use instead
    `<data min="0" max="6"/>`
    """

    code = "IR302"
    name = "unknown-op-attribute"
    faults = (AttributeUnknown,)
    breaks = ("layer",)
