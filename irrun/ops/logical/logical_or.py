from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops.logical.base import Logical


@op("LogicalOr", opset=1)
class LogicalOr(Logical):
    """Whether one of two elements is true, or both."""

    function = np.logical_or
