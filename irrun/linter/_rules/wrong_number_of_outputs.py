from __future__ import annotations

from collections.abc import Iterator

from irrun.diagnostics import Diagnostic
from irrun.document.places import layer_ref
from irrun.graph import Outlet
from irrun.linter.context import Context
from irrun.linter.counts import has_surplus, has_twins, lacking
from irrun.linter.declared import DeclaredPort
from irrun.linter.rule import Rule


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

    def check(self, context: Context) -> Iterator[Diagnostic]:
        for item in context.outputs:
            made = item.number + 1
            surplus = item.layer.outputs[made] if _is_last_made(item) else None
            more = lacking(item) if made == len(item.layer.outputs) else 0
            if (surplus is None and not more) or has_twins(item, context) or context.doubtful(layer_ref(item.layer)):
                continue
            local = context.output_by_declaration(item._replace(number=made))
            if (local is not None) is (surplus is not None):
                # the number is right for the declared inputs: the fault is upstream
                continue
            count = len(item.layer.outputs)
            yield self.report(
                item,
                f"{item.layer.type} has {count} output{'s' if count > 1 else ''}, expected {made + more}",
                port=surplus,
            )


def _is_last_made(item: DeclaredPort) -> bool:
    """Return whether the layer has surplus outputs, and this is the last that its operation makes."""
    return has_surplus(item) and item.facts.get(Outlet(item.outlet.node, item.number + 1)) is None
