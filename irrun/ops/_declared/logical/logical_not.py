from __future__ import annotations

import numpy as np

from irrun.ops import In, Out, op
from irrun.ops._declared.arithmetic.elementwise import Unary
from irrun.tensor.element_type import BOOLEAN


@op("LogicalNot", opset=1)
class LogicalNot(Unary):
    """Element-wise logical negation."""

    inputs = (In("data", BOOLEAN),)
    outputs = (Out("output", BOOLEAN),)
    function = np.logical_not
