from __future__ import annotations

from irrun.document import faults
from irrun.document.faults import RepeatedElement
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
    faults = (RepeatedElement, faults.UnknownElement)
    breaks = ("structure", "layer")
