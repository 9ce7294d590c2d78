from __future__ import annotations

from collections.abc import Iterator

from irrun.diagnostics import Anchor, Diagnostic
from irrun.document.places import layer_ref, path_notes
from irrun.graph import Outlet
from irrun.linter.context import Context
from irrun.linter.declared import DeclaredPort, has_surplus, has_twins, lacking
from irrun.linter.examples import CLAMP
from irrun.linter.rule import Rule

_SPLIT = """<?xml version="1.0"?>
<net name="net" version="11">
    <layers>
        <layer id="0" name="x" type="Parameter" version="opset1">
            <data shape="4,3" element_type="f32"/>
            <output><port id="0" precision="FP32"><dim>4</dim><dim>3</dim></port></output>
        </layer>
        <layer id="1" name="axis" type="Parameter" version="opset1">
            <data shape="" element_type="i64"/>
            <output><port id="0" precision="I64"/></output>
        </layer>
        <layer id="2" name="parts" type="Split" version="opset1">
            <data num_splits="2"/>
            <input>
                <port id="0" precision="FP32"><dim>4</dim><dim>3</dim></port>
                <port id="1" precision="I64"/>
            </input>
            <output><port id="2" precision="FP32"><dim>-1</dim><dim>-1</dim></port></output>
        </layer>
        <layer id="3" name="y" type="Result" version="opset1">
            <input><port id="0" precision="FP32"><dim>-1</dim><dim>-1</dim></port></input>
        </layer>
    </layers>
    <edges>
        <edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
        <edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
        <edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>
    </edges>
</net>
"""


class WrongNumberOfOutputs(Rule):
    """A layer has more or fewer outputs than its operation.

    ## What it does
    Compares the number of output ports with the inferred number. A layer may omit outputs of an operation with a fixed
    number of them.

    ## Why is this bad
    A surplus port never has a value: OpenVINO says `node index is out of range`. With too few ports, as for a Split
    into more parts than ports, OpenVINO says nothing, and the parts are smaller than declared.

    ## Example
    A Clamp with two output ports.

    ## Use instead
    One output port.
    """

    code = "IR311"
    name = "wrong-number-of-outputs"
    stage = "facts"
    good = (CLAMP,)
    bad = (CLAMP.replace("</output>", '<port id="2" precision="FP32"/></output>'), _SPLIT)

    def check(self, context: Context) -> Iterator[Diagnostic]:
        for item in context.outputs:
            made = item.number + 1
            surplus = item.layer.outputs[made] if _is_last_made(item) else None
            more = lacking(item) if made == len(item.layer.outputs) else 0
            if (surplus is None and not more) or has_twins(item) or context.doubtful(layer_ref(item.layer)):
                continue
            local = context.made(item._replace(number=made))
            if (local is not None) is (surplus is not None):
                # the number is right for the declared inputs: the fault is upstream
                continue
            count = len(item.layer.outputs)
            yield Diagnostic(
                self.code,
                f"{item.layer.type} has {count} output{'s' if count > 1 else ''}, expected {made + more}",
                Anchor(item.layer.element if surplus is None else surplus.element),
                layer=layer_ref(item.layer),
                port=None if surplus is None else surplus.id,
                notes=path_notes(item.path),
            )


def _is_last_made(item: DeclaredPort) -> bool:
    """Return whether the layer has surplus outputs, and this is the last that its operation makes."""
    return has_surplus(item) and item.facts.get(Outlet(item.outlet.node, item.number + 1)) is None
