from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from irrun.diagnostics import Anchor, Diagnostic
from irrun.document.records import NetElement
from irrun.linter.context import Context
from irrun.linter.examples import NET
from irrun.linter.rule import Rule

MARKS: Final = frozenset({"execOrder", "execTimeMcs", "originalLayersNames", "runtimePrecision"})

_DUMP: Final = """<?xml version="1.0"?>
<net name="Model0" version="11">
    <layers>
        <layer id="0" name="x" type="Input">
            <data shape="2,3" element_type="f32" execOrder="0" execTimeMcs="12" originalLayersNames="x"/>
            <output><port id="0" precision="FP32"><dim>2</dim><dim>3</dim></port></output>
        </layer>
        <layer id="1" name="y" type="Output">
            <data execOrder="1" execTimeMcs="not_executed" originalLayersNames="y" runtimePrecision="f32"/>
            <input><port id="0" precision="FP32"><dim>2</dim><dim>3</dim></port></input>
        </layer>
    </layers>
    <edges>
        <edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
    </edges>
</net>
"""


class ExecutionGraph(Rule):
    """The file is the execution graph of a compiled model, not a model.

    ## What it does
    Looks for layers as in a dump of `compiled_model.get_runtime_model()`: with the attributes `execOrder`,
    `execTimeMcs` or `originalLayersNames`, and without a `version`. Layers with a version may have these attributes;
    nothing reads them.

    ## Why is this bad
    The dump describes what a device ran: fused nodes, layouts, times. It has no weights and no opsets, and cannot be
    loaded.

    ## Example
    `<layer id="0" name="x" type="Input"><data execOrder="0" execTimeMcs="12" .../>`

    ## Use instead
    The original model: `openvino.save_model(model, "model.xml")`.
    """

    code = "IR111"
    name = "execution-graph"
    stage = "document"
    good = (NET,)
    bad = (_DUMP,)

    def check(self, context: Context) -> Iterator[Diagnostic]:
        found = execution_graph(context.document.net)
        if found is not None:
            yield found


def execution_graph(net: NetElement) -> Diagnostic | None:
    """Return the finding that a net is an execution graph, which supersedes all others; None where it is not."""
    if not any(MARKS & layer.data.keys() for layer in net.layers[:3]):
        return None
    marked = [layer for layer in net.layers if layer.version is None and len(MARKS & layer.data.keys()) > 1]
    if not marked or len(marked) < len(net.layers) / 2:
        return None
    what = f"an execution graph of a compiled model, expected a model: {len(marked)} of {len(net.layers)} layers have"
    marks = " and ".join(sorted(MARKS & marked[0].data.keys())[:2])
    return Diagnostic("IR111", f"{what} {marks}", Anchor(net.element))
