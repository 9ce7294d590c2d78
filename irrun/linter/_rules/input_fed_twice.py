from __future__ import annotations

from irrun.graph import faults
from irrun.linter.rule import Rule


class InputFedTwice(Rule):
    """Two edges lead to one input port.

    ## What it does
    Reports the second edge that leads to an input port.

    ## Why is this bad
    An input has exactly one source. OpenVINO says `ReLU layer r with id: 1 has incorrect input with index 1!`.

    ## Example
    Two edges with `to-layer="1" to-port="0"`.

    ## Use instead
    One edge for each input.
    """

    code = "IR205"
    name = "input-fed-twice"
    faults = (faults.InputFedTwice,)
    breaks = ("structure",)
