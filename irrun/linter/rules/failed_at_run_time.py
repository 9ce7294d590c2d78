from __future__ import annotations

from irrun.linter.rule import Rule


class FailedAtRunTime(Rule):
    """A layer could not be computed for the values that it was given.

    ## What it does
    Is reported when a model runs and a layer refuses its inputs, with the layer and with what arrived.

    ## Why is this bad
    The outputs that depend on it are not there.

    ## Example
    A Reshape to a shape that holds another number of elements.

    ## Use instead
    Inputs that fit.
    """

    code = "IR802"
    name = "failed-at-run-time"
    stage = "run"
