from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

import numpy as np

from irrun.diagnostics import Anchor, Diagnostic, Severity
from irrun.document.places import layer_ref, path_notes
from irrun.linter.context import Context
from irrun.linter.rule import Rule
from irrun.linter.scopes import constant_nodes, made
from irrun.ops.quantization.fake_quantize import FakeQuantize

_LAYERS: Final = "".join(
    f"""<layer id="{id}" name="{name}" type="Const" version="opset1">
            <data element_type="f32" shape="" offset="{offset}" size="4"/>
            <output><port id="0" precision="FP32"/></output>
        </layer>
        """
    for id, name, offset in ((1, "low", 0), (2, "high", 0))
)

_QUANTIZED: Final = f"""<?xml version="1.0"?>
<net name="net" version="11">
    <layers>
        <layer id="0" name="x" type="Parameter" version="opset1">
            <data shape="2" element_type="f32"/>
            <output><port id="0" precision="FP32"><dim>2</dim></port></output>
        </layer>
        {_LAYERS}<layer id="3" name="q" type="FakeQuantize" version="opset1">
            <data levels="256" auto_broadcast="numpy"/>
            <input>
                <port id="0" precision="FP32"><dim>2</dim></port>
                <port id="1" precision="FP32"/>
                <port id="2" precision="FP32"/>
                <port id="3" precision="FP32"/>
                <port id="4" precision="FP32"/>
            </input>
            <output><port id="5" precision="FP32"><dim>2</dim></port></output>
        </layer>
        <layer id="4" name="y" type="Result" version="opset1">
            <input><port id="0" precision="FP32"><dim>2</dim></port></input>
        </layer>
    </layers>
    <edges>
        <edge from-layer="0" from-port="0" to-layer="3" to-port="0"/>
        <edge from-layer="1" from-port="0" to-layer="3" to-port="1"/>
        <edge from-layer="2" from-port="0" to-layer="3" to-port="2"/>
        <edge from-layer="1" from-port="0" to-layer="3" to-port="3"/>
        <edge from-layer="2" from-port="0" to-layer="3" to-port="4"/>
        <edge from-layer="3" from-port="5" to-layer="4" to-port="0"/>
    </edges>
</net>
"""


class EmptyQuantizationRange(Rule):
    """The input limits of a FakeQuantize are equal.

    ## What it does
    Compares the constant limits `input_low` and `input_high` of each FakeQuantize, element by element. The severity is
    info where equal limits may be intended: with two levels, which makes them a threshold, and for constant weights
    that are all 0.

    ## Why is this bad
    The scale is zero. By the specification the result is one of the two output limits. OpenVINO follows it for
    constants, but its CPU plugin otherwise computes NaN.

    ## Example
    `input_low` and `input_high` both 0, as after a calibration without data.

    ## Use instead
    The limits of a calibration with data.
    """

    code = "IR606"
    name = "empty-quantization-range"
    opt_in = True
    severity = Severity.WARNING
    stage = "weights"
    weights = struct.pack("<ffff", 0.0, 1.0, 0.0, 0.0)
    good = (
        _QUANTIZED.replace(
            'name="high" type="Const" version="opset1">\n            <data element_type="f32" shape="" offset="0"',
            'name="high" type="Const" version="opset1">\n            <data element_type="f32" shape="" offset="4"',
        ),
    )
    bad = (_QUANTIZED,)

    def check(self, context: Context) -> Iterator[Diagnostic]:
        for item in made(context, "FakeQuantize"):
            if not isinstance(item.node.op, FakeQuantize) or item.node.layer is None:
                continue
            low, high = item.inputs[1].constant, item.inputs[2].constant
            if low is None or high is None:
                continue
            try:
                equal = np.equal(low, high)
            except ValueError:
                continue
            if not equal.any():
                continue
            layer = item.node.layer
            count = int(np.count_nonzero(equal))
            folded = item.node.id in constant_nodes(item.scope.graph)
            gives = "what is constant there becomes one output limit" if folded else "OpenVINO's CPU plugin gives NaN"
            values = "" if equal.size > 1 else f", both {float(low.reshape(-1)[0]):g}"
            yield Diagnostic(
                self.code,
                f"input_low and input_high are equal in {count} of {equal.size} places{values}; {gives}",
                Anchor(layer.inputs[1].element),
                Severity.INFO if folded or item.node.op.levels == 2 else self.severity,
                layer_ref(layer),
                layer.inputs[1].id,
                notes=path_notes(item.scope.path),
            )
