from __future__ import annotations

from irrun.linter.examples import NET
from irrun.linter.rule import Rule


class DuplicateLayerId(Rule):
    """Two layers have the same id.

    ## What it does
    Reports each layer whose id an earlier layer has.

    ## Why is this bad
    Edges name layers by id. OpenVINO says `Cannot create layer id:0 from unsupported opset`.

    ## Example
    Two layers with `id="1"`.

    ## Use instead
    An id of its own for each layer.
    """

    code = "IR201"
    name = "duplicate-layer-id"
    stage = "graph"
    good = (NET,)
    bad = (NET.replace('<layer id="2"', '<layer id="1"'),)
