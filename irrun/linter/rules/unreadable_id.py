from __future__ import annotations

from irrun.linter.examples import NET
from irrun.linter.rule import Rule


class UnreadableId(Rule):
    """An id is not a number.

    ## What it does
    Reports ids of layers and ports that are not numbers from 0 up.

    ## Why is this bad
    OpenVINO refuses the file.

    ## Example
    `<layer id="clip" …>`

    ## Use instead
    `<layer id="1" …>`
    """

    code = "IR110"
    name = "unreadable-id"
    stage = "document"
    good = (NET,)
    bad = (
        NET.replace('<layer id="1"', '<layer id="clip"').replace('-layer="1"', '-layer="clip"'),
        NET.replace('<layer id="1"', '<layer id="-1"'),
        NET.replace('<port id="1"', '<port id="out"'),
    )
