from __future__ import annotations

from irrun.linter.examples import NET
from irrun.linter.rule import Rule


class UnreadablePrecision(Rule):
    """The precision of a port is not an element type.

    ## What it does
    Reports a `precision` that is neither the precision of an element type (`FP32`, `I64`, `BOOL`) nor its name (`f32`).

    ## Why is this bad
    OpenVINO refuses the file.

    ## Example
    `precision="fp32"`

    ## Use instead
    `precision="FP32"`
    """

    code = "IR109"
    name = "unreadable-precision"
    stage = "document"
    good = (NET, NET.replace('"FP32"', '"f32"'))
    bad = (NET.replace('"FP32"', '"fp32"', 1), NET.replace('"FP32"', '""', 1))
