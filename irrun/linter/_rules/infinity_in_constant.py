from __future__ import annotations

from collections.abc import Iterator

from irrun.diagnostics import Diagnostic, Severity
from irrun.linter.constants import also
from irrun.linter.contents import first, floats
from irrun.linter.context import Context
from irrun.linter.rule import Rule


class InfinityInConstant(Rule):
    """A constant holds an infinity.

    ## What it does
    Searches all float constants for infinities, and reports their number and the index of the first.

    ## Why is this bad
    It may be intended, as in an attention mask. Otherwise it comes from an overflow, and becomes NaN when combined with
    a zero or another infinity.

    ## Example
    Weights `[1.0, inf]`.

    ## Use instead
    The largest number of the type as a bound.
    """

    code = "IR602"
    name = "infinity-in-constant"
    opt_in = True
    severity = Severity.INFO
    needs_sound = "upstream"

    def check(self, context: Context) -> Iterator[Diagnostic]:
        for item, counted in floats(context):
            if counted.infinite and not counted.nan:
                elements = item.op.shape.size.lo
                where = list(first(context.document.weights, item, "infinite"))
                are = "is" if counted.infinite == 1 else "are"
                yield self.report(
                    item,
                    f"{counted.infinite} of {elements} elements {are} infinite, first {where}",
                    notes=also(context, item),
                )
