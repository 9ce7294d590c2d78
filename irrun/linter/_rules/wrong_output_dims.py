from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from irrun.diagnostics import Anchor, Diagnostic, Fix
from irrun.document.places import layer_ref
from irrun.document.records import dims_text
from irrun.linter.attribute_shapes import AttributeShape, attribute_shape, dims_of, says
from irrun.linter.context import Context
from irrun.linter.corrections import Dependents, corrected_dims, declared_at
from irrun.linter.counts import is_miscounted
from irrun.linter.declared import DeclaredPort, agrees, called, may_be_of_any_rank, offending
from irrun.linter.legacy_dims import has_legacy_dims
from irrun.linter.refutations import refutation
from irrun.linter.rule import Rule
from irrun.linter.scopes import once
from irrun.ops.refuting import Refutation
from irrun.tensor import Fact


class WrongOutputDims(Rule):
    """The dims of an output port contradict the inferred shape.

    ## What it does
    Compares each `<dim>` of each output port with the shape that follows from the inputs and attributes of the layer. A
    dim that depends on unknown values is compared with what is known without them: the output of a Tile is a multiple
    of its input, a Reshape keeps the number of elements. What remains undecided is counted as not verified. The port
    of a Parameter, a Const or a ReadValue must repeat its shape, with -1 for a dynamic size, except in IR version 10.
    Consequences of a fault upstream are not reported. Of several wrong
    outputs of one layer the first is reported, with the others in its notes.

    ## Why is this bad
    OpenVINO ignores the dims of ports and infers its own: the file says one thing and the model does another. Readers
    of the file, and programs that size buffers by it, are misled. Usually an attribute has an unintended value.

    ## Example
    A Clamp of f32[2,3] that declares its output as [2,4].

    ## Use instead
    The inferred dims, [2,3]; or the attribute or input that yields the intended dims.
    """

    code = "IR401"
    name = "wrong-output-dims"

    def check(self, context: Context) -> Iterator[Diagnostic]:
        for _, items in itertools.groupby(context.outputs, lambda item: item.layer.element):
            found = [wrong for item in items if (wrong := self.wrong(context, item)) is not None]
            if found:
                others = (other.message for other in found[1:])
                yield found[0]._replace(notes=(*others, *found[0].notes))

    def wrong(self, context: Context, item: DeclaredPort) -> Diagnostic | None:
        """Return the finding about the dims of an output; None where they are right or the fault is elsewhere."""
        axes = offending(item.port, item.fact.shape)
        attribute = attribute_shape(item, context)
        if axes == () and attribute is not None and not says(item.port, attribute.shape):
            return self._unlike(item, attribute)
        refuted = refutation(context, item)
        if refuted is not None and refuted.shape is not None:
            known = item._replace(fact=Fact(item.fact.type, refuted.shape))
            return self._finding(known, Anchor(item.port.dim_elements[refuted.axis or 0], "text"))
        if axes == ():
            return None if refuted is None else self._refuted(item, refuted)
        if context.doubtful(layer_ref(item.layer)):
            return None
        if is_miscounted(item, context) or (axes is None and may_be_of_any_rank(item)):
            return None
        if has_legacy_dims(item, context.document.net):
            return None
        local = context.output_by_declaration(item)
        if local is not None and offending(item.port, local.shape) == ():
            return None
        if item.layer.bodies and item.layer.element in _fed_otherwise(context):
            return None
        return self._finding(item, None if axes is None else Anchor(item.port.dim_elements[axes[0]], "text"))

    def _unlike(self, item: DeclaredPort, attribute: AttributeShape) -> Diagnostic:
        declared, shape = dims_text(item.port.dims), str(attribute.shape)
        what = f"output port {item.port.id} is declared {declared}, but the attribute {attribute.name} says {shape}"
        return self.report(item, what, port=item.port, declared=declared, inferred=shape)

    def _refuted(self, item: DeclaredPort, refuted: Refutation) -> Diagnostic:
        at = None if refuted.axis is None else Anchor(item.port.dim_elements[refuted.axis], "text")
        declared, inferred = dims_text(item.port.dims), str(item.fact.shape)
        what = f"output port {item.port.id} is declared {declared}, but {refuted.what}"
        return self.report(item, what, at=at, port=item.port, declared=declared, inferred=inferred)

    def _finding(self, item: DeclaredPort, at: Anchor | None) -> Diagnostic:
        declared, inferred = dims_text(item.port.dims), str(item.fact.shape)
        ranks = "" if at is not None else f" (rank {len(item.port.dims)}, expected {item.fact.rank})"
        precisions = f"{item.port.precision} is declared, {item.fact.type.precision} is inferred"
        types = () if agrees(item.port, item.fact.type) else (precisions,)
        repeated = [
            f"input port {port.id} of {called(layer)} repeats these dims"
            for layer, port in item.fed
            if port.dims == item.port.dims
        ]
        return self.report(
            item,
            f"output port {item.port.id} is declared {declared}, inferred {inferred}{ranks}",
            at=at,
            port=item.port,
            declared=declared,
            inferred=inferred,
            notes=(*types, *repeated),
        )

    def fixes(self, found: Sequence[Diagnostic], context: Context) -> list[Fix | None]:
        """Write the inferred dims."""
        items = [declared_at(item, context) for item in found]
        dependents = Dependents(context, items)
        return [None if item is None else self._corrected(item, context, dependents) for item in items]

    def _corrected(self, item: DeclaredPort, context: Context, dependents: Dependents) -> Fix | None:
        attribute = attribute_shape(item, context)
        if attribute is None or attribute.shape.dims is None or offending(item.port, item.fact.shape) != ():
            return corrected_dims(item, item.fact.shape, context, dependents)
        texts = dims_of(attribute.shape)
        return Fix(f"write {dims_text(texts)}", context.editor.sizes(item.port, texts, None))


@once
def _fed_otherwise(context: Context) -> frozenset[int]:
    """Return the layers in whose bodies a Parameter contradicts its input, which is then reported there."""
    parameters = {
        item.layer.element
        for item in context.outputs
        if item.layer.type == "Parameter" and offending(item.port, item.fact.shape) != ()
    }
    layers = {item.layer.element: item.layer for item in context.outputs if item.layer.bodies}
    return frozenset(
        element
        for element, layer in layers.items()
        if any(inner.element in parameters for body in layer.bodies for inner in body.net.layers)
    )
