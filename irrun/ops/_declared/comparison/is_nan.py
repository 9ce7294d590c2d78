from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops._declared.comparison.base import FloatTest


@op("IsNaN", opset=10, page="isnan-10")
class IsNaN(FloatTest):
    """Element-wise test for NaN."""

    function = np.isnan
