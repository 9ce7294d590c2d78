from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops._declared.comparison.base import Comparison


@op("LessEqual", opset=1, page="lessequal-1")
class LessEqual(Comparison):
    """Element-wise comparison a <= b."""

    function = np.less_equal
