from __future__ import annotations

from irrun.graph import faults
from irrun.linter.rule import Rule


class UnknownPort(Rule):
    """An edge names a port that its layer does not have.

    ## What it does
    Reports edges whose `from-port` is not an output of their source layer, or whose `to-port` is not an input of their
    target layer.

    ## Why is this bad
    OpenVINO refuses the file.

    ## Example
    `<edge from-layer="1" from-port="9" …/>`

    ## Use instead
    `<edge from-layer="1" from-port="1" …/>`
    """

    code = "IR203"
    name = "unknown-port"
    faults = (faults.UnknownEdgePort,)
    breaks = ("structure", "layer")
