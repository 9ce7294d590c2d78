from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from irrun.diagnostics import Anchor, Diagnostic
from irrun.document.places import layer_ref, path_notes
from irrun.linter.context import Context
from irrun.linter.examples import ITERATOR
from irrun.linter.rule import Rule
from irrun.linter.scopes import by_type

_LOOP: Final = """<?xml version="1.0"?>
<net name="net" version="11">
    <layers>
        <layer id="0" name="count" type="Parameter" version="opset1">
            <data shape="" element_type="i64"/>
            <output><port id="0" precision="I64"/></output>
        </layer>
        <layer id="1" name="begin" type="Parameter" version="opset1">
            <data shape="" element_type="boolean"/>
            <output><port id="0" precision="BOOL"/></output>
        </layer>
        <layer id="2" name="steps" type="Loop" version="opset5">
            <port_map>
                <input external_port_id="1" internal_layer_id="0"/>
                <output external_port_id="2" internal_layer_id="1"/>
                <output external_port_id="-1" internal_layer_id="1" purpose="execution_condition"/>
            </port_map>
            <input><port id="0" precision="I64"/><port id="1" precision="BOOL"/></input>
            <output><port id="2" precision="BOOL"/></output>
            <body>
                <layers>
                    <layer id="0" name="going" type="Parameter" version="opset1">
                        <data shape="" element_type="boolean"/>
                        <output><port id="0" precision="BOOL"/></output>
                    </layer>
                    <layer id="1" name="next" type="Result" version="opset1">
                        <input><port id="0" precision="BOOL"/></input>
                    </layer>
                </layers>
                <edges>
                    <edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
                </edges>
            </body>
        </layer>
        <layer id="3" name="y" type="Result" version="opset1">
            <input><port id="0" precision="BOOL"/></input>
        </layer>
    </layers>
    <edges>
        <edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
        <edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
        <edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>
    </edges>
</net>
"""


class WrongPortMap(Rule):
    """The port map does not match the layer and its body.

    ## What it does
    Reports entries of a port map that name a missing port or layer, that repeat a Parameter or an output, or whose
    numbers cannot be read; Parameters of the body and outputs of the layer without an entry; and a Loop without an
    entry for its condition.

    ## Why is this bad
    OpenVINO reads past the end of a list, or refuses the file without naming the entry.

    ## Example
    `<input external_port_id="0" internal_layer_id="9"/>` where the body has no layer 9.

    ## Use instead
    The id of the Parameter or the Result in the body.
    """

    code = "IR207"
    name = "wrong-port-map"
    stage = "graph"
    good = (ITERATOR, _LOOP)
    bad = (
        ITERATOR.replace('internal_layer_id="3"', 'internal_layer_id="9"'),
        ITERATOR.replace('external_port_id="1"', 'external_port_id="9"'),
        ITERATOR.replace('internal_layer_id="1"', 'internal_layer_id="0"'),
        ITERATOR.replace('axis="0"', 'axis="rows"'),
        ITERATOR.replace('<output external_port_id="1" internal_layer_id="3"/>', ""),
        ITERATOR.replace('<input external_port_id="0" internal_layer_id="1"/>', ""),
        _LOOP.replace('<output external_port_id="-1" internal_layer_id="1" purpose="execution_condition"/>', ""),
    )

    def check(self, context: Context) -> Iterator[Diagnostic]:
        for node, scope in by_type(context).get("Loop", ()):
            body = node.bodies.get("body")
            if node.op is None or node.layer is None or body is None:
                continue
            if all(entry.external is not None for entry in body.ports.outputs):
                yield Diagnostic(
                    self.code,
                    'no <output> of the port map has purpose="execution_condition", which tells whether to go on',
                    Anchor(node.layer.bodies[0].element),
                    layer=layer_ref(node.layer),
                    notes=path_notes(scope.path),
                )
