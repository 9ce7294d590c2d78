from __future__ import annotations

from irrun.linter.examples import NET
from irrun.linter.rule import Rule

_MEANS = NET.replace(
    "</edges>",
    """</edges>
    <pre-process reference-layer-name="x">
        <channel id="0"><mean value="0.5"/></channel>
        <channel id="1"><mean value="0.25"/></channel>
        <channel id="2"><mean value="0.125"/></channel>
    </pre-process>""",
)


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
    stage = "graph"
    good = (_MEANS,)
    bad = (
        _MEANS.replace('reference-layer-name="x"', 'reference-layer-name="clip"'),
        _MEANS.replace('<channel id="2"><mean value="0.125"/></channel>', ""),
        _MEANS.replace('value="0.5"', 'value="half"'),
        _MEANS.replace('<mean value="0.5"/>', '<mean offset="0" size="4"/>'),
        _MEANS.replace('<data shape="2,3"', '<data shape="?,3"').replace("<dim>2</dim>", "<dim>-1</dim>"),
    )
