from __future__ import annotations

from irrun.document import faults
from irrun.linter.rule import Rule


class UnreadableId(Rule):
    """An id is not a number.

    ## What it does
    Reports ids of layers and ports that are not integers of 0 or more, and edges whose ends are empty texts.

    ## Why is this bad
    OpenVINO refuses the file.

    ## Example
    `<layer id="clip" …>`

    ## Use instead
    `<layer id="1" …>`
    """

    code = "IR110"
    name = "unreadable-id"
    faults = (faults.UnreadableId,)
    breaks = ("structure",)
