from __future__ import annotations

from irrun.document import faults
from irrun.linter.rule import Rule


class MissingAttribute(Rule):
    """An element lacks a required attribute.

    ## What it does
    Reports `<layer>` without id, name, type or version, `<port>` without id, `<edge>` without one of its four ends,
    `<net>` without version, and entries of port maps without their two ids.

    ## Why is this bad
    OpenVINO refuses the file.

    ## Example
    `<edge from-layer="0" to-layer="1" to-port="0"/>`

    ## Use instead
    `<edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>`
    """

    code = "IR106"
    name = "missing-attribute"
    faults = (faults.MissingAttribute,)
    breaks = ("structure",)
    of_absence = True
