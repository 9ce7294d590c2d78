from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops._declared.comparison.base import FloatTest


@op("IsFinite", opset=10, page="isfinite-10")
class IsFinite(FloatTest):
    """Element-wise test for numbers that are neither infinite nor NaN."""

    function = np.isfinite
