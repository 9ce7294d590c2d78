from __future__ import annotations

from irrun.linter.examples import CLAMP, CONST, NET
from irrun.linter.rule import Rule


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
    stage = "graph"
    good = (NET,)
    bad = (
        NET.replace(' max="6"', ""),
        CLAMP.replace('<data min="0" max="6"/>', ""),
        CONST.replace(' element_type="f32"', ""),
    )
