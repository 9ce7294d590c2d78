from __future__ import annotations

from collections.abc import Iterable, Iterator

from irrun.diagnostics import Anchor, Diagnostic, LayerRef, Severity
from irrun.document.places import layer_ref
from irrun.linter.constants import clashing, overlaps
from irrun.linter.context import Context
from irrun.linter.declared import called
from irrun.linter.rule import Rule


class OverlappingConstants(Rule):
    """Two constants partly overlap in the weights file.

    ## What it does
    Compares the byte ranges of all constants, including those in bodies. Constants of the same range and type, or of
    equal bytes such as zeros, are allowed: OpenVINO stores equal values once. Of two overlapping constants, the
    reported one does not directly follow another, or would fill an unused range.

    ## Why is this bad
    An `offset` is wrong, and the model computes with the numbers of another layer. OpenVINO reads the file without a
    message, or fails at a later layer.

    ## Example
    A constant at bytes 0 to 8, and another at bytes 4 to 12.

    ## Use instead
    The offset at which the constant was written.
    """

    code = "IR506"
    name = "overlapping-constants"
    severity = Severity.WARNING
    explains = ("invalid-operation", "IR4", "IR6", "IR9")

    def check(self, context: Context) -> Iterator[Diagnostic]:
        for culprit, other in overlaps(context):
            what = f"bytes {culprit.start} to {culprit.end} overlap those of {called(other.layer)}"
            yield self.report(
                culprit,
                f"{what}, which has {other.start} to {other.end}",
                at=Anchor(culprit.layer.data_element, "value", "offset"),
            )

    def culprits(self, found: Iterable[Diagnostic], context: Context) -> set[LayerRef]:
        """Return the layers of all constants with the bytes of those that overlap."""
        return super().culprits(found, context) | {layer_ref(item.layer) for item in clashing(context)}
