from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from irrun.diagnostics import Anchor, Diagnostic, Severity
from irrun.document.places import layer_ref, path_notes
from irrun.linter.context import Context
from irrun.linter.rule import Rule
from irrun.linter.rules.oversized_tensor import MOST_BYTES
from irrun.linter.scopes import constant_nodes, remarkable

MOST_CONSTANT_BYTES: Final = 1 << 30

_SPREAD: Final = """<?xml version="1.0"?>
<net name="net" version="11">
    <layers>
        <layer id="0" name="zero" type="Const" version="opset1">
            <data element_type="f32" shape="1" offset="16" size="4"/>
            <output><port id="0" precision="FP32"><dim>1</dim></port></output>
        </layer>
        <layer id="1" name="shape" type="Const" version="opset1">
            <data element_type="i64" shape="2" offset="0" size="16"/>
            <output><port id="0" precision="I64"><dim>2</dim></port></output>
        </layer>
        <layer id="2" name="zeros" type="Broadcast" version="opset3">
            <data mode="numpy"/>
            <input>
                <port id="0" precision="FP32"><dim>1</dim></port>
                <port id="1" precision="I64"><dim>2</dim></port>
            </input>
            <output><port id="2" precision="FP32"><dim>65536</dim><dim>65536</dim></port></output>
        </layer>
        <layer id="3" name="y" type="Result" version="opset1">
            <input><port id="0" precision="FP32"><dim>65536</dim><dim>65536</dim></port></input>
        </layer>
    </layers>
    <edges>
        <edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
        <edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
        <edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>
    </edges>
</net>
"""


class OversizedConstant(Rule):
    """A layer computes a huge tensor from constants.

    ## What it does
    Reports tensors from 1 GiB up to 1 TiB at layers that do not depend on inputs of the model, such as a Range, a
    Broadcast or a Tile of constants.

    ## Why is this bad
    Constant folding allocates the tensor when the model is loaded, so that a file of a few bytes can exhaust a server.

    ## Example
    A Broadcast of one f32 to `[65536,65536]`, which needs 16 GiB.

    ## Use instead
    Implicit broadcasting in the layer that uses the tensor.
    """

    code = "IR904"
    name = "oversized-constant"
    severity = Severity.WARNING
    stage = "facts"
    weights = (65536).to_bytes(8, "little") * 2 + bytes(4) + (64).to_bytes(8, "little") * 2 + bytes(12)
    good = (_SPREAD.replace('offset="0"', 'offset="20"').replace("65536", "64"),)
    bad = (_SPREAD,)

    def check(self, context: Context) -> Iterator[Diagnostic]:
        for item in remarkable(context):
            size = max(fact.least_bytes for fact in item.outputs)
            if not MOST_CONSTANT_BYTES <= size < MOST_BYTES or item.node.type == "Const" or item.node.layer is None:
                continue
            if any(fact.least_bytes >= MOST_CONSTANT_BYTES for fact in item.inputs):
                continue
            if item.node.id not in constant_nodes(item.scope.graph):
                continue
            large = next(fact for fact in item.outputs if fact.least_bytes == size)
            yield Diagnostic(
                self.code,
                f"{large} takes {size / (1 << 30):.4g} GiB and follows from constants alone",
                Anchor(item.node.layer.element),
                self.severity,
                layer_ref(item.node.layer),
                notes=path_notes(item.scope.path),
            )
