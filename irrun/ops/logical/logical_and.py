from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops.logical.base import Logical


@op("LogicalAnd", opset=1)
class LogicalAnd(Logical):
    """Whether both of two elements are true."""

    function = np.logical_and
