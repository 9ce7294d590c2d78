from __future__ import annotations

from irrun.diagnostics import Severity
from irrun.linter.rule import Rule
from irrun.linter.suppression import IdleComment


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
    faults = (IdleComment,)
