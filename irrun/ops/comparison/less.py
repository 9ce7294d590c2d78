from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops.comparison.base import Comparison


@op("Less", opset=1)
class Less(Comparison):
    """Whether an element of a is less than that of b."""

    function = np.less
