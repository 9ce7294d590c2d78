from __future__ import annotations

from irrun.diagnostics import OpError
from irrun.linter.rule import Rule


class InvalidOperation(Rule):
    """The attributes or the inputs of an operation do not fit each other.

    ## What it does
    Reports the faults that the operation itself detects: contradictory attributes, incompatible shapes, an axis outside
    the tensor.

    ## Why is this bad
    The layer cannot be computed. OpenVINO's message names neither the line nor, often, the layer.

    ## Example
    `<data min="6" max="0"/>` in a Clamp.

    ## Use instead
    `<data min="0" max="6"/>`
    """

    code = "IR304"
    name = "invalid-operation"
    faults = (OpError,)
    breaks = ("layer",)
