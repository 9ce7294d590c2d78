from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from irrun.diagnostics import Diagnostic, Severity
from irrun.linter._rules.misaligned_constant import MisalignedConstant
from irrun.linter.constants import constants, gaps, overlaps, unread
from irrun.linter.context import Context
from irrun.linter.rule import Rule

PADDING: Final = 64


class UnreferencedWeights(Rule):
    """The weights file contains bytes that no constant uses.

    ## What it does
    Reports bytes of the `.bin` outside the ranges of all constants, including those in bodies. Fewer than 64 bytes that
    end at a multiple of 16 are padding, and not reported.

    ## Why is this bad
    The file may belong to another version of the model, a constant may have a wrong offset, or layers were removed
    without their weights.

    ## Example
    A `.bin` of 1,000 bytes with one constant at bytes 0 to 8.

    ## Use instead
    The `.bin` that was written together with the `.xml`; save the model again to drop the rest.
    """

    code = "IR508"
    name = "unreferenced-weights"
    severity = Severity.INFO
    needs_sound = "file"

    def check(self, context: Context) -> Iterator[Diagnostic]:
        weights = context.document.weights
        if not weights.exists or unread(context) or not constants(context):
            return
        total = len(weights.bytes)
        if any(item.end > total for item in constants(context)):
            return
        found = [(start, end) for start, end in gaps(context) if end - start >= PADDING or end % 16]
        count = sum(end - start for start, end in found)
        if not found or overlaps(context) or any(MisalignedConstant().check(context)):
            return
        places = ", ".join(f"{start} to {end}" for start, end in found[:3]) + (", …" if len(found) > 3 else "")
        name = weights.path.name if weights.path is not None else "the weights"
        what = f"no constant uses {count} of the {total} bytes of {name}: {places}"
        yield self.report(context.document.net, what)
