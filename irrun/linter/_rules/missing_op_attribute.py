from __future__ import annotations

from irrun.linter.rule import Rule
from irrun.ops.attributes import AttributeMissing


class MissingOpAttribute(Rule):
    """A required attribute of an operation is absent.

    ## What it does
    Reports the attributes that the specification requires and the layer does not have.

    ## Why is this bad
    Where OpenVINO has a default, it silently computes something else: Clamp without `max` clips at 0.

    ## Example
    `<data min="0"/>` in a Clamp.

    ## Use instead
    `<data min="0" max="6"/>`
    """

    code = "IR303"
    name = "missing-op-attribute"
    faults = (AttributeMissing,)
    breaks = ("layer",)
    of_absence = True
