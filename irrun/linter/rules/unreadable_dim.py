from __future__ import annotations

from irrun.linter.examples import CLAMP, NET
from irrun.linter.rule import Rule


class UnreadableDim(Rule):
    """A `<dim>` does not contain a size.

    ## What it does
    Reports `<dim>` elements that contain neither a number from 0 up nor the -1 of a dynamic dim.

    ## Why is this bad
    OpenVINO refuses the file, or reads the leading digits and ignores the rest.

    ## Example
    `<dim>?</dim>`

    ## Use instead
    `<dim>-1</dim>`
    """

    code = "IR108"
    name = "unreadable-dim"
    stage = "document"
    good = (CLAMP, NET.replace("<dim>3</dim>", "<dim>-1</dim>"))
    bad = (
        CLAMP.replace("<dim>3</dim>", "<dim>?</dim>", 1),
        NET.replace("<dim>3</dim>", "<dim>3x</dim>", 1),
        NET.replace("<dim>3</dim>", "<dim></dim>", 1),
        NET.replace("<dim>3</dim>", "<dim>-2</dim>", 1),
        NET.replace("<dim>3</dim>", f"<dim>{10**40}</dim>", 1),
    )
