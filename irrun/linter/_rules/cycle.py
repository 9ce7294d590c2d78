from __future__ import annotations

from irrun.graph import faults
from irrun.linter.rule import Rule


class Cycle(Rule):
    """Layers depend on each other in a cycle.

    ## What it does
    Reports each cycle, with the names of its layers.

    ## Why is this bad
    None of them can be computed first. OpenVINO says `Attempt to access node 2 that not in graph.`.

    ## Example
    Layer 1 feeds layer 2, and layer 2 feeds layer 1.

    ## Use instead
    A `TensorIterator` or a `Loop` for iteration.
    """

    code = "IR206"
    name = "cycle"
    faults = (faults.Cycle,)
    breaks = ("structure",)
