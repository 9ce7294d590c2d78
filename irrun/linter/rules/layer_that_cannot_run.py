from __future__ import annotations

from irrun.linter.rule import Rule


class LayerThatCannotRun(Rule):
    """A layer that a result depends on cannot be computed.

    ## What it does
    Is reported when a model is compiled and no other finding says why.

    ## Why is this bad
    The model has no plan.

    ## Example
    A layer of an operation that there is not.

    ## Use instead
    What `irrun lint` says of the file.
    """

    code = "IR801"
    name = "layer-that-cannot-run"
    stage = "run"
