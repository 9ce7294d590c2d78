from __future__ import annotations

from irrun.graph import faults
from irrun.linter.rule import Rule


class WrongPreProcess(Rule):
    """The mean in `<pre-process>` does not fit its input.

    ## What it does
    Checks `<pre-process>`, with which Model Optimizer subtracts a mean from an input: the input must exist, with a
    static shape of rank 2 to 5, and each of its channels must have a mean, all of them numbers or all of them images in
    the weights file.

    ## Why is this bad
    OpenVINO refuses the file.

    ## Example
    `<channel id="0"><mean value="0.5"/></channel>` alone, for an input of three channels.

    ## Use instead
    A `<channel>` with a `<mean>` for each channel of the input.
    """

    code = "IR215"
    name = "wrong-pre-process"
    faults = (faults.WrongPreProcess,)
