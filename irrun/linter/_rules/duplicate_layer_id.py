from __future__ import annotations

from irrun.graph import faults
from irrun.linter.rule import Rule


class DuplicateLayerId(Rule):
    """Two layers have the same id.

    ## What it does
    Reports each layer with the id of an earlier layer.

    ## Why is this bad
    Edges name layers by id. OpenVINO says `Cannot create layer id:0 from unsupported opset`.

    ## Example
    Two layers with `id="1"`.

    ## Use instead
    A unique id for each layer.
    """

    code = "IR201"
    name = "duplicate-layer-id"
    faults = (faults.DuplicateLayerId,)
    breaks = ("structure",)
