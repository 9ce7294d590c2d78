from __future__ import annotations

from irrun.diagnostics import Diagnostic, Fix
from irrun.document import faults
from irrun.linter.context import Context
from irrun.linter.corrections import declared_at
from irrun.linter.rule import Rule


class UnreadablePrecision(Rule):
    """The precision of a port is not an element type.

    ## What it does
    Reports a `precision` that is neither the precision of an element type (`FP32`, `I64`, `BOOL`) nor its name (`f32`).

    ## Why is this bad
    OpenVINO refuses the file.

    ## Example
    `precision="fp32"`

    ## Use instead
    `precision="FP32"`
    """

    code = "IR109"
    name = "unreadable-precision"
    faults = (faults.UnreadablePrecision,)
    breaks = ("structure",)

    def fix(self, found: Diagnostic, context: Context) -> Fix | None:
        """Write the inferred precision, or the one that was probably meant."""
        item = declared_at(found, context)
        if item is None or not item.fact.type.is_known:
            return super().fix(found, context)
        content = item.fact.type.precision
        edits = context.editor.value(item.port.element, "precision", content)
        return Fix(f"write {content}", edits) if edits else None
