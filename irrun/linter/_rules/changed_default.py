from __future__ import annotations

from irrun.diagnostics import Severity
from irrun.graph import faults
from irrun.linter.rule import Rule


class ChangedDefault(Rule):
    """An attribute is absent, and OpenVINO's default differs from the specification's.

    ## What it does
    Reports absent optional attributes for which the specification and OpenVINO have different defaults.

    ## Why is this bad
    The model does not compute what a reader of the specification expects.

    ## Example
    A SoftMax of opset1 without `axis`: the specification says 1, OpenVINO reads 0.

    ## Use instead
    `<data axis="1"/>`
    """

    code = "IR310"
    name = "changed-default"
    severity = Severity.WARNING
    faults = (faults.ChangedDefault,)
    explains = ("stray-text",)
    breaks = ("layer",)
    of_absence = True
