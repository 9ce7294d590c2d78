from __future__ import annotations

from typing import Any

import numpy as np

from irrun.ops import Array, op
from irrun.ops._declared.arithmetic.elementwise import hold_dims
from irrun.ops._declared.comparison.base import Comparison
from irrun.ops._declared.comparison.equal import equal


def not_equal(a: Array, b: Array) -> Any:
    return np.logical_not(equal(a, b)) if hold_dims(a, b) else np.not_equal(a, b)


@op("NotEqual", opset=1, page="notequal-1")
class NotEqual(Comparison):
    """Element-wise comparison a != b."""

    function = not_equal
