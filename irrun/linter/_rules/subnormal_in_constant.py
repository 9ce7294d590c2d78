from __future__ import annotations

from collections.abc import Iterator

from irrun.diagnostics import Diagnostic, Severity
from irrun.linter.contents import floats
from irrun.linter.context import Context
from irrun.linter.rule import Rule


class SubnormalInConstant(Rule):
    """Constants contain subnormal numbers.

    ## What it does
    Counts the nonzero f32 and f64 elements of all constants below the smallest normal number, 1.2e-38 for f32, and
    reports them once for the whole file.

    ## Why is this bad
    Arithmetic on them is up to a hundred times slower where the processor does not flush them to zero, and has
    different results where it does.

    ## Example
    Weights `[1.0, 1e-40]`.

    ## Use instead
    Zeros.
    """

    code = "IR603"
    name = "subnormal-in-constant"
    opt_in = True
    severity = Severity.INFO
    needs_sound = "upstream"

    def check(self, context: Context) -> Iterator[Diagnostic]:
        found = [(item, counted) for item, counted in floats(context) if counted.subnormal]
        if found:
            item, counted = found[0]
            all = sum(other.subnormal for _, other in found)
            notes = (f"{all} elements in {len(found)} constants in all",) if len(found) > 1 else ()
            are = "is" if counted.subnormal == 1 else "are"
            yield self.report(
                item,
                f"{counted.subnormal} of {item.op.shape.size.lo} elements {are} subnormal",
                notes=notes,
            )
