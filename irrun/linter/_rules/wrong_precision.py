from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence

from irrun.diagnostics import Anchor, Diagnostic, Fix, Severity
from irrun.document.places import layer_ref
from irrun.linter._rules.wrong_output_dims import WrongOutputDims
from irrun.linter.context import Context
from irrun.linter.corrections import Dependents, corrected_precision, declared_at
from irrun.linter.counts import has_twins
from irrun.linter.declared import DeclaredPort, agrees, called
from irrun.linter.rule import Rule
from irrun.model.interface import LEGACY, output_type
from irrun.tensor import Fact
from irrun.tensor.element_type import F16


class WrongPrecision(Rule):
    """The precision of a port differs from the element type of its tensor.

    ## What it does
    Compares the `precision` of each port with the inferred element type. An input that repeats the wrong precision of
    the output that feeds it is mentioned in the notes of that finding; so is a wrong precision of a port whose dims are
    wrong too. An unused integer output that is declared `FP32` or `FP16` is an info: some writers use the model's type
    there. Not reported are a Convert of an `FP16` constant for a `Result`, which OpenVINO itself declares as `FP16`,
    and an output of IR version 10 in the type of OpenVINO's API: `FP32` where the model computes in `FP16` or `BOOL`.

    ## Why is this bad
    OpenVINO ignores the precision of ports: the file says one thing and the model computes in another type.

    ## Example
    A Clamp of f32 whose output port says `precision="FP16"`.

    ## Use instead
    `precision="FP32"`.
    """

    code = "IR403"
    name = "wrong-precision"
    opt_in = True

    def check(self, context: Context) -> Iterator[Diagnostic]:
        for _, items in itertools.groupby(context.outputs, lambda item: item.layer.element):
            found = [
                self._output(item)
                for item in items
                if _is_wrong(context, item, context.output_by_declaration)
                and not has_twins(item, context)
                and not _is_widened_result(item)
                and not _is_legacy_output(context, item)
                and WrongOutputDims().wrong(context, item) is None
            ]
            if found:
                found.sort(key=lambda finding: -finding.severity)
                others = (other.message for other in found[1:])
                yield found[0]._replace(notes=(*others, *found[0].notes))
        for item in context.inputs:
            feeder = item.feeder
            if feeder is not None and item.port.precision == feeder.precision:
                continue
            if item.layer.type == "Result" and _is_legacy_output(context, item):
                continue
            if _is_wrong(context, item, context.input_by_declaration) and context.contradiction(item) is None:
                yield self._finding(item, f"input port {item.port.id}", [])

    def _output(self, item: DeclaredPort) -> Diagnostic:
        repeated = [
            f"input port {port.id} of {called(layer)} repeats this precision"
            for layer, port in item.fed
            if port.precision == item.port.precision
        ]
        finding = self._finding(item, f"output port {item.port.id}", repeated)
        is_unused_integer = item.port.precision in ("FP32", "FP16") and item.fact.type.is_integer and not any(item.fed)
        return finding._replace(severity=Severity.INFO) if is_unused_integer else finding

    def _finding(self, item: DeclaredPort, subject: str, notes: list[str]) -> Diagnostic:
        declared, inferred = item.port.precision or "", item.fact.type.precision
        return self.report(
            item,
            f"{subject} is declared {declared}, inferred {inferred}",
            at=Anchor(item.port.element, "value", "precision"),
            port=item.port,
            declared=declared,
            inferred=inferred,
            notes=notes,
        )

    def fixes(self, found: Sequence[Diagnostic], context: Context) -> list[Fix | None]:
        """Write the inferred precisions."""
        items = [declared_at(item, context) for item in found]
        dependents = Dependents(context, items)
        return [None if item is None else corrected_precision(item, context, dependents) for item in items]


def _is_wrong(context: Context, item: DeclaredPort, by_declaration: Callable[[DeclaredPort], Fact | None]) -> bool:
    """Return whether the precision of a port is wrong and the fault belongs to its layer."""
    if agrees(item.port, item.fact.type) or context.doubtful(layer_ref(item.layer)):
        return False
    local = by_declaration(item)
    return local is None or not agrees(item.port, local.type)


def _is_widened_result(item: DeclaredPort) -> bool:
    """Return whether a Convert of an f16 constant declares the constant's type and feeds a Result."""
    if item.layer.type != "Convert" or item.port.precision != "FP16" or item.fact.type.kind != "float":
        return False
    graph = item.facts.graph
    halves = [
        source
        for source in graph.sources(item.outlet.node)
        if source is not None and graph.node(source.node).type == "Const" and _is_half(item.facts.get(source))
    ]
    return bool(halves) and any(layer.type == "Result" for layer, _ in item.fed)


def _is_legacy_output(context: Context, item: DeclaredPort) -> bool:
    """Return whether an output of the model is declared in the type that IR version 10 gives it."""
    if context.document.net.version != LEGACY or item.path:
        return False
    is_read = item.layer.type == "Result" or any(layer.type == "Result" for layer, _ in item.fed)
    return is_read and agrees(item.port, output_type(item.fact.type, LEGACY))


def _is_half(fact: Fact | None) -> bool:
    return fact is not None and fact.type is F16
