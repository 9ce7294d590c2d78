from __future__ import annotations

from irrun.linter.rule import Rule
from irrun.runtime import faults


class FailedAtRunTime(Rule):
    """A layer could not be computed for the values of its inputs.

    ## What it does
    Reported when a model runs and a layer rejects its inputs, with the layer and its inputs.

    ## Why is this bad
    The outputs that depend on the layer are missing.

    ## Example
    A Reshape to a shape with a different number of elements.

    ## Use instead
    Inputs that fit the model.
    """

    code = "IR802"
    name = "failed-at-run-time"
    faults = (faults.FailedAtRunTime,)
    at_run_time = True
