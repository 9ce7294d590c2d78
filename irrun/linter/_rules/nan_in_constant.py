from __future__ import annotations

from collections.abc import Iterator

from irrun.diagnostics import Diagnostic, Severity
from irrun.graph import Outlet
from irrun.linter.constants import Constant, also, sharing
from irrun.linter.contents import first, floats
from irrun.linter.context import Context
from irrun.linter.rule import Rule
from irrun.linter.scopes import by_type
from irrun.linter.spread import spreads


class NanInConstant(Rule):
    """A constant holds a NaN.

    ## What it does
    Searches all float constants for NaN, and reports their number and the index of the first. The finding is a warning
    where a matrix product, a convolution, a normalization or a quantization uses the constant, or arithmetic carries
    the NaN to an output. Otherwise it is an info: the NaN may be data, such as the mask of a Select or the value of a
    Pad.

    ## Why is this bad
    Training diverged, a conversion went wrong, or the `offset` points to other bytes. One NaN in a weight turns most of
    the outputs into NaN.

    ## Example
    A Multiply by the constant `[1.0, nan]`.

    ## Use instead
    The weights of a valid checkpoint.
    """

    code = "IR601"
    name = "nan-in-constant"
    opt_in = True
    severity = Severity.WARNING
    needs_sound = "upstream"

    def check(self, context: Context) -> Iterator[Diagnostic]:
        for item, counted in floats(context):
            if counted.nan:
                elements = item.op.shape.size.lo
                where = list(first(context.document.weights, item, "nan"))
                yield self.report(
                    item,
                    f"{counted.nan} of {elements} elements {'is' if counted.nan == 1 else 'are'} NaN, first {where}",
                    severity=None if _is_used(context, item) else Severity.INFO,
                    notes=also(context, item),
                )


def _is_used(context: Context, constant: Constant) -> bool:
    """Return whether a constant, or one with the same bytes, is used in arithmetic."""
    elements = {item.layer.element for item in (constant, *sharing(context, constant))}
    return any(
        layer.element in elements and spreads(scope, Outlet(node.id, 0))
        for node, scope, layer in by_type(context).get("Const", ())
    )
