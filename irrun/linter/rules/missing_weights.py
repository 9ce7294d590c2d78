from __future__ import annotations

from irrun.linter.rule import Rule


class MissingWeights(Rule):
    """The values of a constant are not there.

    ## What it does
    Is reported when a model is compiled whose constants are needed and whose file of weights is missing.

    ## Why is this bad
    The model cannot run. It can be checked all the same: the linter is silent about it.

    ## Example
    `model.xml` without `model.bin`.

    ## Use instead
    The `.bin` beside the `.xml`, or `--weights FILE`.
    """

    code = "IR501"
    name = "missing-weights"
    stage = "run"
