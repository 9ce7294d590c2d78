from __future__ import annotations

from irrun.linter.rule import Rule
from irrun.runtime import faults


class MissingWeights(Rule):
    """The values of a constant are missing.

    ## What it does
    Reported when a model is compiled that needs constants from a missing weights file.

    ## Why is this bad
    The model cannot run. You can still check it; the linter does not report this.

    ## Example
    `model.xml` without `model.bin`.

    ## Use instead
    The `.bin` beside the `.xml`, or `--weights FILE`.
    """

    code = "IR501"
    name = "missing-weights"
    faults = (faults.MissingWeights,)
    at_run_time = True
