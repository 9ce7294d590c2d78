from __future__ import annotations

from collections.abc import Iterator

from irrun.diagnostics import Anchor, Diagnostic, Severity
from irrun.linter.constants import constants, overlaps, unread
from irrun.linter.context import Context
from irrun.linter.rule import Rule


class MisalignedConstant(Rule):
    """The offset of a constant is not a multiple of its element size.

    ## What it does
    Reports offsets that are not a multiple of the element size, unless the constant directly follows another one:
    OpenVINO itself packs constants without gaps and without alignment.

    ## Why is this bad
    The offset is probably wrong. A misaligned tensor must also be copied when it is read.

    ## Example
    A constant of f32 at byte 3, with nothing before it.

    ## Use instead
    The offset at which the constant was written.
    """

    code = "IR507"
    name = "misaligned-constant"
    severity = Severity.INFO
    needs_sound = "file"

    def check(self, context: Context) -> Iterator[Diagnostic]:
        weights = context.document.weights
        total = len(weights.bytes) if weights.exists else None
        found = constants(context)
        ends = {0, *(item.end for item in found)}
        odd = [
            item
            for item in found
            if item.op.element_type.bits >= 16
            and item.start % (item.op.element_type.bits // 8)
            and item.start not in ends
            and (total is None or item.end <= total)
            and item.op.shape.size.lo > 0
        ]
        if not odd or unread(context) or overlaps(context):
            return
        item, more = odd[0], len(odd) - 1
        others = (f"{more} more constant{'s are' if more > 1 else ' is'} misaligned",) if more else ()
        width = item.op.element_type.bits // 8
        yield self.report(
            item,
            f"offset {item.start} is not a multiple of the {width} bytes of {item.type}, and no constant ends there",
            at=Anchor(item.layer.data_element, "value", "offset"),
            notes=others,
        )
