from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

from irrun.diagnostics import Anchor, Diagnostic, Severity
from irrun.document.places import layer_ref, path_notes
from irrun.graph import Outlet
from irrun.linter.constants import WEIGHED, Constant, also, sharing
from irrun.linter.contents import first, floats
from irrun.linter.context import Context
from irrun.linter.rule import Rule
from irrun.linter.scopes import by_type
from irrun.linter.spread import spreads

_SCALED: Final = """<?xml version="1.0"?>
<net name="net" version="11">
    <layers>
        <layer id="0" name="x" type="Parameter" version="opset1">
            <data shape="3,2" element_type="f32"/>
            <output><port id="0" precision="FP32"><dim>3</dim><dim>2</dim></port></output>
        </layer>
        <layer id="1" name="weights" type="Const" version="opset1">
            <data element_type="f32" shape="2" offset="0" size="8"/>
            <output><port id="0" precision="FP32"><dim>2</dim></port></output>
        </layer>
        <layer id="2" name="scaled" type="Multiply" version="opset1">
            <input>
                <port id="0" precision="FP32"><dim>3</dim><dim>2</dim></port>
                <port id="1" precision="FP32"><dim>2</dim></port>
            </input>
            <output><port id="2" precision="FP32"><dim>3</dim><dim>2</dim></port></output>
        </layer>
        <layer id="3" name="y" type="Result" version="opset1">
            <input><port id="0" precision="FP32"><dim>3</dim><dim>2</dim></port></input>
        </layer>
    </layers>
    <edges>
        <edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
        <edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
        <edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>
    </edges>
</net>
"""


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
    stage = "weights"
    weights = struct.pack("<ff", 1.0, float("nan"))
    good = (WEIGHED.replace('"f32"', '"i32"').replace("FP32", "I32"),)
    bad = (_SCALED, WEIGHED)

    def check(self, context: Context) -> Iterator[Diagnostic]:
        for item, counted in floats(context):
            if counted.nan:
                elements = item.op.shape.size.lo
                where = list(first(context.document.weights, item, "nan"))
                yield Diagnostic(
                    self.code,
                    f"{counted.nan} of {elements} elements {'is' if counted.nan == 1 else 'are'} NaN, first {where}",
                    Anchor(item.layer.element),
                    self.severity if _is_used(context, item) else Severity.INFO,
                    layer_ref(item.layer),
                    notes=(*also(context, item), *path_notes(item.path)),
                )


def _is_used(context: Context, constant: Constant) -> bool:
    """Return whether a constant, or one with the same bytes, is used in arithmetic."""
    elements = {item.layer.element for item in (constant, *sharing(context, constant))}
    return any(
        node.layer is not None and node.layer.element in elements and spreads(scope, Outlet(node.id, 0))
        for node, scope in by_type(context).get("Const", ())
    )
