from __future__ import annotations

from collections.abc import Iterator

from irrun.diagnostics import Anchor, Diagnostic
from irrun.graph import Outlet
from irrun.graph.bind import layer_ref, path_notes
from irrun.linter.context import Context
from irrun.linter.declared import has_surplus
from irrun.linter.examples import CLAMP
from irrun.linter.rule import Rule


class WrongNumberOfOutputs(Rule):
    """A layer has more outputs than its operation makes.

    ## What it does
    Compares the number of output ports with what is inferred.

    ## Why is this bad
    What is read from the port is never made. OpenVINO says `node index is out of range`.

    ## Example
    A Clamp with two output ports.

    ## Use instead
    One output port.
    """

    code = "IR311"
    name = "wrong-number-of-outputs"
    stage = "facts"
    good = (CLAMP,)
    bad = (CLAMP.replace("</output>", '<port id="2" precision="FP32"/></output>'),)

    def check(self, context: Context) -> Iterator[Diagnostic]:
        for item in context.outputs:
            made = item.number + 1
            ports = item.layer.outputs
            if not has_surplus(item) or item.facts.get(Outlet(item.outlet.node, made)) is not None:
                continue
            if context.doubtful(layer_ref(item.layer)):
                continue
            yield Diagnostic(
                self.code,
                f"{item.layer.type} has {len(ports)} outputs, expected {made}",
                Anchor(ports[made].element),
                layer=layer_ref(item.layer),
                port=ports[made].id,
                notes=path_notes(item.path),
            )
