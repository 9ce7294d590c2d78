from __future__ import annotations

from irrun.graph import faults
from irrun.linter.rule import Rule


class DanglingEdge(Rule):
    """An edge begins or ends at a layer that does not exist.

    ## What it does
    Reports each layer id that edges name but no layer has, once for all of its edges.

    ## Why is this bad
    OpenVINO refuses the file: `Cannot create layer id:0 from unsupported opset`.

    ## Example
    `<edge from-layer="7" …/>` where no layer has the id 7.

    ## Use instead
    The id of the layer that was meant.
    """

    code = "IR202"
    name = "dangling-edge"
    faults = (faults.DanglingEdge,)
    breaks = ("structure",)
