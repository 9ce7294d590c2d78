from __future__ import annotations

import struct
from collections.abc import Iterator

from irrun.diagnostics import Anchor, Diagnostic, Severity
from irrun.graph.bind import layer_ref, path_notes
from irrun.linter.constants import PAIR, also
from irrun.linter.contents import first, floats
from irrun.linter.context import Context
from irrun.linter.rule import Rule


class NanInConstant(Rule):
    """A constant holds a NaN.

    ## What it does
    Looks through the floats of all constants, whatever their type. It says how many are NaN, and where the first is.

    ## Why is this bad
    Training diverged, a conversion went wrong, or the `offset` leads into other bytes. One NaN in a weight makes most
    of the outputs NaN.

    ## Example
    Weights `[1.0, nan]`.

    ## Use instead
    The weights of a checkpoint that is sound.
    """

    code = "IR601"
    name = "nan-in-constant"
    severity = Severity.WARNING
    stage = "weights"
    weights = struct.pack("<ffq", 1.0, float("nan"), 3)
    good = (PAIR.replace('"f32"', '"i32"').replace("FP32", "I32"),)
    bad = (PAIR,)

    def check(self, context: Context) -> Iterator[Diagnostic]:
        for item, counted in floats(context):
            if counted.nan:
                elements = item.op.shape.size.lo
                where = list(first(context.document.weights, item, "nan"))
                yield Diagnostic(
                    self.code,
                    f"{counted.nan} of {elements} elements {'is' if counted.nan == 1 else 'are'} NaN, first {where}",
                    Anchor(item.layer.element),
                    self.severity,
                    layer_ref(item.layer),
                    notes=(*also(context, item), *path_notes(item.path)),
                )
