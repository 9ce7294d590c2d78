from __future__ import annotations

from irrun.linter.examples import CONST
from irrun.linter.rule import Rule


class WrongConstantSize(Rule):
    """A constant has more or fewer bytes than its shape and type take.

    ## What it does
    Compares the attribute `size` with the number of bytes that the shape and the element type need.

    ## Why is this bad
    OpenVINO says `Attribute and shape size are inconsistent for Const op!430, 432, 432`, or reads the bytes of
    another constant.

    ## Example
    `element_type="f32" shape="2" size="4"`

    ## Use instead
    `element_type="f32" shape="2" size="8"`
    """

    code = "IR503"
    name = "wrong-constant-size"
    stage = "weights"
    good = (CONST,)
    bad = (CONST.replace('size="8"', 'size="4"'), CONST.replace('shape="2"', 'shape="4194304,4194304,4194304"'))
