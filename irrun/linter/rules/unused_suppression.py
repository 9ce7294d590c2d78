from __future__ import annotations

from irrun.diagnostics import Severity
from irrun.linter.examples import NET
from irrun.linter.rule import Rule

_WRONG = NET.replace("<dim>3</dim></port></output>", "<dim>4</dim></port></output>", 1)
_OF_LINE = "<!-- irrun: ignore[IR401] the shape is set by the application -->"
_OF_FILE = "<!-- irrun: ignore-file[wrong-output-dims] -->"


class UnusedSuppression(Rule):
    """A suppression comment suppresses no finding.

    ## What it does
    Reports `<!-- irrun: ignore[…] -->` comments without a finding on their line or the next,
    `<!-- irrun: ignore-file[…] -->` comments without a finding in the file, and comments that do not name a rule.

    ## Why is this bad
    The fault that the comment was written for is gone, or the comment is wrong. It may hide the next fault at that
    place.

    ## Example
    `<!-- irrun: ignore[IR401] -->` above a correct `<dim>`.

    ## Use instead
    No comment.
    """

    code = "IR112"
    name = "unused-suppression"
    severity = Severity.WARNING
    stage = "facts"
    good = (
        _WRONG.replace("<dim>4</dim></port></output>", f"<dim>4</dim></port></output> {_OF_LINE}"),
        _WRONG.replace("<output>", f"{_OF_LINE}\n<output>", 1),
        _WRONG.replace("<layers>", f"{_OF_FILE}<layers>"),
    )
    bad = (
        NET.replace("<output>", f"{_OF_LINE}\n<output>", 1),
        NET.replace("<layers>", f"{_OF_FILE}<layers>"),
        NET.replace("<layers>", "<!-- irrun: ignore[wrong-output-dim] --><layers>"),
        NET.replace("<layers>", "<!-- irrun: ignore --><layers>"),
    )
