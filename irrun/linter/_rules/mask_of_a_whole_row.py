from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from irrun.diagnostics import Diagnostic, Severity
from irrun.linter.context import Context
from irrun.linter.rule import Rule
from irrun.linter.scopes import InferredLayer, inferred_layers
from irrun.tensor import Array, Fact

_MASK = 3


class MaskOfAWholeRow(Rule):
    """The mask of an attention hides, or may hide, all elements of a row.

    ## What it does
    Looks at the masks of ScaledDotProductAttention, and at constants that are added before a SoftMax. A constant with a
    row of false or of -inf is a warning. A boolean mask that is computed, or an input of the model, is an info, once
    for the whole file.

    ## Why is this bad
    The SoftMax of a row of -inf is NaN, which spreads to the whole output in the next layers. A text that is padded on
    the left has such rows.

    ## Example
    A boolean mask `[[false,false],[true,true]]`.

    ## Use instead
    A mask that leaves an element in each row, or a large negative number such as -65504 instead of -inf.
    """

    code = "IR611"
    name = "mask-of-a-whole-row"
    opt_in = True
    severity = Severity.WARNING
    needs_sound = "upstream"

    def check(self, context: Context) -> Iterator[Diagnostic]:
        computed = []
        for item in inferred_layers(context, "ScaledDotProductAttention"):
            mask = item.inputs[_MASK] if len(item.inputs) > _MASK else None
            if mask is not None and mask.constant is None and mask.type.kind == "boolean":
                computed.append(item)
            elif mask is not None:
                yield from self._constant(item, mask, _MASK)
        for item in inferred_layers(context, "SoftMax"):
            yield from self._added(item)
        if computed:
            more = len(computed) - 1
            notes = [f"{more} more layer{'s have' if more > 1 else ' has'} such a mask"] if more else []
            what = "a row of the boolean mask without a true yields NaN; the mask is known only at run time"
            port = computed[0].layer.inputs[_MASK]
            yield self.report(computed[0], what, port=port, severity=Severity.INFO, notes=notes)

    def _added(self, item: InferredLayer) -> Iterator[Diagnostic]:
        source = item.scope.graph.sources(item.node.id)[0]
        axis = getattr(item.node.op, "axis", -1)
        if source is None or item.scope.facts is None or item.scope.graph.node(source.node).type != "Add":
            return
        rank = item.inputs[0].rank
        for fact in item.scope.facts.inputs(source.node):
            if fact is not None and rank is not None and axis % rank == rank - 1 and fact.rank:
                yield from self._constant(item, fact, 0)

    def _constant(self, item: InferredLayer, mask: Fact, port: int) -> Iterator[Diagnostic]:
        hidden = _hidden(mask.constant) if mask.constant is not None else 0
        if hidden:
            rows = "1 row" if hidden == 1 else f"{hidden} rows"
            what = f"the mask hides all of {rows}, which become{'s' if hidden == 1 else ''} NaN"
            yield self.report(item, what, port=item.layer.inputs[port])


def _hidden(mask: Array) -> int:
    """Return the number of rows of which no element is left."""
    if mask.ndim == 0 or mask.shape[-1] == 0 or mask.dtype.kind not in "bf":
        return 0
    hides = ~mask if mask.dtype.kind == "b" else np.isneginf(mask)
    return int(np.count_nonzero(hides.all(axis=-1)))
