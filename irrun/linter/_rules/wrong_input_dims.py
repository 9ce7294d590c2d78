from __future__ import annotations

from collections.abc import Iterator

from irrun.diagnostics import Anchor, Diagnostic, Fix
from irrun.document.records import dims_text
from irrun.linter.context import Context
from irrun.linter.corrections import corrected_dims, declared_at
from irrun.linter.declared import DeclaredPort, agrees
from irrun.linter.rule import Rule
from irrun.tensor import Shape


class WrongInputDims(Rule):
    """The dims of an input port contradict the shape of its tensor.

    ## What it does
    Compares each `<dim>` of each input port with the inferred shape of its tensor, and with the dims of the output port
    that feeds it. An input that repeats the wrong dims of that output is mentioned in the notes of the output's
    finding. A number where that output declares -1, and inference leaves the size open, is a finding too, except in IR
    version 10.

    ## Why is this bad
    The file describes an input that the layer does not have. OpenVINO silently ignores the dims of ports.

    ## Example
    A Clamp of f32[2,3] that declares its input as [2,4].

    ## Use instead
    The dims of the output port that feeds it.
    """

    code = "IR402"
    name = "wrong-input-dims"

    def check(self, context: Context) -> Iterator[Diagnostic]:
        for item in context.inputs:
            wrong = context.contradiction(item)
            if wrong is not None:
                yield self._finding(item, wrong.shape, wrong.axes)

    def _finding(self, item: DeclaredPort, shape: Shape, axes: tuple[int, ...] | None) -> Diagnostic:
        declared, arrives = dims_text(item.port.dims), str(shape)
        ranks = f" (rank {len(item.port.dims)}, expected {shape.rank})" if axes is None else ""
        types = f"{item.port.precision} is declared, {item.fact.type.precision} arrives"
        return self.report(
            item,
            f"input port {item.port.id} is declared {declared}, but {arrives} arrives{ranks}",
            at=None if axes is None else Anchor(item.port.dim_elements[axes[0]], "text"),
            port=item.port,
            declared=declared,
            inferred=arrives,
            notes=() if agrees(item.port, item.fact.type) else (types,),
        )

    def fix(self, found: Diagnostic, context: Context) -> Fix | None:
        """Write the dims that arrive."""
        item = declared_at(found, context)
        wrong = None if item is None else context.contradiction(item)
        if item is None:
            return None
        return corrected_dims(item, item.fact.shape if wrong is None else wrong.shape, context)
