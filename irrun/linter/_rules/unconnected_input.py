from __future__ import annotations

from irrun.graph import faults
from irrun.linter.rule import Rule
from irrun.runtime import faults as run_faults


class UnconnectedInput(Rule):
    """No edge leads to an input port.

    ## What it does
    Reports each input port that no edge names. Where a faulty edge was probably meant for the port, the port is
    mentioned in the notes of that edge's finding instead.

    ## Why is this bad
    OpenVINO says `Clamp layer clip with id: 1 is inconsistent!`.

    ## Example
    A layer with the input port 0, and no edge with its id and `to-port="0"`.

    ## Use instead
    An edge to the input.
    """

    code = "IR204"
    name = "unconnected-input"
    faults = (faults.UnconnectedInput, run_faults.ResultThatFeeds)
    breaks = ("structure",)
