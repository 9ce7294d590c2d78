from __future__ import annotations

from irrun.linter.examples import NET
from irrun.linter.rule import Rule


class UnknownElement(Rule):
    """An element stands where an IR has none of its name.

    ## What it does
    Reports elements that no IR has in that place, and those that stand twice where one is expected. One that is
    close to an element that may stand there is read as that. Elements of other namespaces and whatever is inside
    `<rt_info>` are left alone.

    ## Why is this bad
    OpenVINO passes over what it does not know, in silence: a misspelt `<data>` leaves the layer without its
    attributes.

    ## Example
    `<dta min="0" max="6"/>`

    ## Use instead
    `<data min="0" max="6"/>`
    """

    code = "IR104"
    name = "unknown-element"
    stage = "document"
    good = (NET,)
    bad = (
        NET.replace("<data min", "<dta min"),
        NET.replace("<dim>3</dim>", "<dmi>3</dmi>", 1),
        NET.replace("<layers>", "<statistics/><blobs/><layers>"),
        NET.replace('<data min="0" max="6"/>', '<data min="0" max="6"/><data/>'),
    )
