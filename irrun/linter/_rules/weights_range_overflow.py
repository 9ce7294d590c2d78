from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from irrun.diagnostics import Anchor, Diagnostic
from irrun.linter.constants import constants
from irrun.linter.context import Context
from irrun.linter.rule import Rule

MOST: Final = (1 << 63) - 1


class WeightsRangeOverflow(Rule):
    """The byte range of a constant overflows 64-bit integers.

    ## What it does
    Adds `offset` and `size` of each constant. Where the weights file exists, the range is outside it, which is IR502.

    ## Why is this bad
    A sum computed in 64 bits wraps around to a small number, so that a bounds check passes. Malicious files use this.

    ## Example
    `offset="18446744073709551612" size="8"`

    ## Use instead
    The offset at which the constant was written.
    """

    code = "IR509"
    name = "weights-range-overflow"

    def check(self, context: Context) -> Iterator[Diagnostic]:
        if context.document.weights.exists:
            return
        for item in constants(context):
            if item.end > MOST:
                yield self.report(
                    item,
                    f"bytes {item.start} to {item.end} end beyond 2^63",
                    at=Anchor(item.layer.data_element, "value", "offset"),
                )
