from __future__ import annotations

from irrun.document import faults
from irrun.linter.rule import Rule


class RepeatedPortId(Rule):
    """Two ports of one side of a layer have the same id.

    ## What it does
    Reports ids that are repeated among the inputs, or among the outputs, of a layer. An output may share the id of
    an input.

    ## Why is this bad
    Edges refer to ports by id, so that no edge can refer to the second port.

    ## Example
    `<port id="1">` twice in `<input>`

    ## Use instead
    `<port id="1">` and `<port id="2">`
    """

    code = "IR107"
    name = "repeated-port-id"
    faults = (faults.RepeatedPortId,)
    breaks = ("structure",)
