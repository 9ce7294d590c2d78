from __future__ import annotations

from irrun.graph import faults
from irrun.linter.rule import Rule


class WrongBackEdge(Rule):
    """A back edge does not lead from a Result to a Parameter of the body.

    ## What it does
    Reports edges of `<back_edges>` whose `from-layer` is not a Result of the body, whose `to-layer` is not a Parameter
    of it, or that share their Parameter with another edge or the number of the iteration. An edge to a Parameter that
    gets slices of an input is a warning: OpenVINO ignores it, and so does irrun.

    ## Why is this bad
    The value is not carried into the next iteration, or OpenVINO refuses the file.

    ## Example
    `<edge from-layer="2" to-layer="1"/>` where layer 2 is an Add.

    ## Use instead
    The id of the Result that the Add feeds.
    """

    code = "IR208"
    name = "wrong-back-edge"
    faults = (faults.WrongBackEdge,)
    breaks = ("structure",)
