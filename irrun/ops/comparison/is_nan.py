from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops.comparison.base import FloatTest


@op("IsNaN", opset=10, page="isnan-10")
class IsNaN(FloatTest):
    """Whether an element is NaN."""

    function = np.isnan
