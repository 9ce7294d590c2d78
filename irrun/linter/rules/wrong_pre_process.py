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
    """The mean of an input does not fit it.

    ## What it does
    Checks `<pre-process>`, by which Model Optimizer had a mean subtracted from an input: that the input is there and
    has a static shape of rank 2 to 5, and that each of its channels has a mean, all of them numbers or all of them
    images in the file of weights.

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
