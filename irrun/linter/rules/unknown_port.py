from __future__ import annotations

from irrun.linter.examples import NET
from irrun.linter.rule import Rule


class UnknownPort(Rule):
    """An edge names a port that its layer has not.

    ## What it does
    Reports edges whose `from-port` is no output of the layer that they begin at, or whose `to-port` is no input of
    the one that they end at.

    ## Why is this bad
    OpenVINO refuses the file.

    ## Example
    `<edge from-layer="1" from-port="9" …/>`

    ## Use instead
    `<edge from-layer="1" from-port="1" …/>`
    """

    code = "IR203"
    name = "unknown-port"
    stage = "graph"
    good = (NET,)
    bad = (
        NET.replace('from-port="1"', 'from-port="9"'),
        NET.replace('to-layer="2" to-port="0"', 'to-layer="2" to-port="9"'),
    )
