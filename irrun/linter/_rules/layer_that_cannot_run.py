from __future__ import annotations

from irrun.linter.rule import Rule
from irrun.runtime import faults


class LayerThatCannotRun(Rule):
    """A layer that a result depends on cannot be computed.

    ## What it does
    Reported when a model cannot be compiled and no other finding explains why.

    ## Why is this bad
    The model cannot run.

    ## Example
    A layer whose operation does not exist.

    ## Use instead
    Run `irrun lint` on the file, and fix its findings.
    """

    code = "IR801"
    name = "layer-that-cannot-run"
    faults = (faults.LayerThatCannotRun,)
    at_run_time = True
