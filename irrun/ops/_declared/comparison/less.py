from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops._declared.comparison.base import Comparison


@op("Less", opset=1)
class Less(Comparison):
    """Element-wise comparison a < b."""

    function = np.less
