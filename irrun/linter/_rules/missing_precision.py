from __future__ import annotations

from irrun.diagnostics import Diagnostic, Fix
from irrun.document import faults
from irrun.linter.context import Context
from irrun.linter.corrections import declared_at
from irrun.linter.rule import Rule


class MissingPrecision(Rule):
    """An output port has no precision.

    ## What it does
    Reports output ports without the attribute `precision`. Input ports do not need one, nor do bare layers, as in the
    examples of the specification.

    ## Why is this bad
    OpenVINO refuses the file: `node <port> is missing mandatory attribute: precision at offset 402`.

    ## Example
    `<output><port id="1">`

    ## Use instead
    `<output><port id="1" precision="FP32">`
    """

    code = "IR103"
    name = "missing-precision"
    faults = (faults.MissingPrecision,)
    breaks = ("structure",)
    of_absence = True

    def fix(self, found: Diagnostic, context: Context) -> Fix | None:
        """Write the inferred precision."""
        item = declared_at(found, context)
        if item is None or not item.fact.type.is_known:
            return None
        content = item.fact.type.precision
        edits = context.editor.added(item.port.element, "id", "precision", content)
        return Fix(f'write precision="{content}"', edits) if edits else None
