from __future__ import annotations

from collections.abc import Iterator

from irrun.diagnostics import Anchor, Diagnostic
from irrun.graph import faults
from irrun.linter.context import Context
from irrun.linter.rule import Rule
from irrun.linter.scopes import by_type


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
    faults = (faults.WrongPortMap,)
    breaks = ("structure",)

    def check(self, context: Context) -> Iterator[Diagnostic]:
        for item in by_type(context).get("Loop", ()):
            node, layer = item.node, item.layer
            body = node.bodies.get("body")
            if node.op is None or body is None:
                continue
            if all(entry.external is not None for entry in body.ports.outputs):
                yield self.report(
                    item,
                    'no <output> of the port map has purpose="execution_condition", which tells whether to go on',
                    at=Anchor(layer.bodies[0].element),
                )
