from __future__ import annotations

from collections.abc import Iterator

from irrun.diagnostics import Anchor, Diagnostic
from irrun.document.records import PortElement
from irrun.graph.bind import layer_ref, path_notes
from irrun.linter.declared import DeclaredPort, called, inputs, outputs
from irrun.linter.rule import Context, Rule
from irrun.tensor import ElementType
from irrun.tensor.element_type import BY_PRECISION


class WrongPrecision(Rule):
    """The precision of a port is not the element type of its tensor.

    ## What it does
    Compares the `precision` of each port with the element type that is inferred. An input that repeats the wrong precision of the output that feeds it
    is a note of that finding, not another one.

    ## Why is this bad
    OpenVINO ignores the precision of ports: the file says one thing and the model computes in another type.

    ## Example
    A Convert to i32 whose output port says `precision="FP32"`.

    ## Use instead
    `precision="I32"`.
    """

    code = "IR403"
    name = "wrong-precision"
    stage = "facts"

    def check(self, context: Context) -> Iterator[Diagnostic]:
        for item in outputs(context.facts):
            if not _agrees(item.port, item.fact.type):
                repeated = [
                    f"input port {port.id} of {called(layer)} repeats this precision"
                    for layer, port in item.fed
                    if port.precision == item.port.precision
                ]
                yield self._finding(item, f"output port {item.port.id}", repeated)
        for item in inputs(context.facts):
            repeats = item.feeder is not None and item.port.precision == item.feeder.precision
            if not repeats and not _agrees(item.port, item.fact.type):
                yield self._finding(item, f"input port {item.port.id}", [])

    def _finding(self, item: DeclaredPort, subject: str, notes: list[str]) -> Diagnostic:
        declared, inferred = item.port.precision or "", item.fact.type.precision
        return Diagnostic(
            self.code,
            f"{subject} is declared {declared}, inferred {inferred}",
            Anchor(item.port.element, "value", "precision"),
            layer=layer_ref(item.layer),
            port=item.port.id,
            declared=declared,
            inferred=inferred,
            notes=(*notes, *path_notes(item.path)),
        )


def _agrees(port: PortElement, type: ElementType) -> bool:
    declared = BY_PRECISION.get(port.precision or "")
    return declared is None or not declared.is_known or not type.is_known or declared is type
