from __future__ import annotations

from irrun.linter.examples import NET
from irrun.linter.rule import Rule


class UnknownOpAttribute(Rule):
    """The operation has no such attribute.

    ## What it does
    Reports attributes of `<data>` that the operation does not declare in this version. One that is close to an
    attribute that is absent is read as that. Those that an old writer left and nobody reads are no finding: `irrun ops
    TYPE` lists them.

    ## Why is this bad
    OpenVINO passes over it in silence and takes a default: with `stridez` for `strides`, the output of a
    Convolution changes its size.

    ## Example
    `<data mim="0" max="6"/>` in a Clamp.

    ## Use instead
    `<data min="0" max="6"/>`
    """

    code = "IR302"
    name = "unknown-op-attribute"
    stage = "graph"
    good = (NET,)
    bad = (
        NET.replace('min="0"', 'mim="0"'),
        NET.replace('min="0"', 'lowest="0"'),
        NET.replace('max="6"', 'max="6" note="relu6"'),
    )
