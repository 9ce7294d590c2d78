from __future__ import annotations

from irrun.linter.examples import NET
from irrun.linter.rule import Rule


class UnknownElement(Rule):
    """An element is not part of the IR format at its place.

    ## What it does
    Reports elements that the format does not allow at their place, and repeated ones where one is expected. An element
    that resembles an allowed one is read as that one. Elements of other namespaces and the content of `<rt_info>` are
    not checked.

    ## Why is this bad
    OpenVINO silently ignores unknown elements: a misspelt `<data>` leaves the layer without its attributes.

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
