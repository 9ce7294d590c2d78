from __future__ import annotations

from collections.abc import Iterator

from irrun.diagnostics import Anchor, Diagnostic
from irrun.document.reader import dims_text
from irrun.graph.bind import layer_ref, path_notes
from irrun.linter.declared import DeclaredPort, inputs, offending, shape_of
from irrun.linter.rule import Context, Rule
from irrun.tensor import Shape


class WrongInputDims(Rule):
    """The dims of an input port contradict the shape that arrives there.

    ## What it does
    Compares each `<dim>` of each input port with what is inferred of the tensor that its edge brings, and with the dims of the output port that it
    comes from. An input that repeats the wrong dims of that output is a note of that finding, not another one.

    ## Why is this bad
    The layer is described as taking something else than it gets. OpenVINO ignores the dims of ports and says nothing.

    ## Example
    A ReLU that is fed f32[1,8,28,28] and declares its input [1,8,28,27].

    ## Use instead
    The dims of the output port that feeds it.
    """

    code = "IR402"
    name = "wrong-input-dims"
    stage = "facts"

    def check(self, context: Context) -> Iterator[Diagnostic]:
        for item in inputs(context.facts):
            shape = _arriving(item)
            axes = offending(item.port, shape)
            repeats = item.feeder is not None and item.port.dims == item.feeder.dims
            if axes == () or repeats:
                continue
            anchor = Anchor(item.port.element) if axes is None else Anchor(item.port.dim_elements[axes[0]], "text")
            declared, inferred = dims_text(item.port.dims), str(shape)
            ranks = f" (rank {len(item.port.dims)}, expected {shape.rank})" if axes is None else ""
            yield Diagnostic(
                self.code,
                f"input port {item.port.id} is declared {declared}, but {inferred} arrives{ranks}",
                anchor,
                layer=layer_ref(item.layer),
                port=item.port.id,
                declared=declared,
                inferred=inferred,
                notes=path_notes(item.path),
            )


def _arriving(item: DeclaredPort) -> Shape:
    """The inferred shape; where that leaves dims open, those of the output port that it comes from."""
    if item.feeder is None:
        return item.fact.shape
    return item.fact.shape.merge(shape_of(item.feeder)) or item.fact.shape
