from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops._declared.logical.base import Logical


@op("LogicalOr", opset=1)
class LogicalOr(Logical):
    """Element-wise logical disjunction."""

    function = np.logical_or
