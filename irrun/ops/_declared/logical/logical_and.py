from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops._declared.logical.base import Logical


@op("LogicalAnd", opset=1)
class LogicalAnd(Logical):
    """Element-wise logical conjunction."""

    function = np.logical_and
