from __future__ import annotations

import numpy as np

from irrun.ops import In, Out, TypeVar, op
from irrun.ops._declared.arithmetic.elementwise import Unary
from irrun.ops.declaration import TRUTHS
from irrun.tensor.element_type import BOOLEAN

T = TypeVar("T", frozenset({BOOLEAN}), also=TRUTHS)


@op("LogicalNot", opset=1)
class LogicalNot(Unary):
    """Element-wise logical negation."""

    inputs = (In("data", T),)
    outputs = (Out("output", T),)
    function = np.logical_not
