from __future__ import annotations

import numpy as np

from irrun.kernels.elementwise import Elementwise, clipped
from irrun.ops import Array, op
from irrun.ops._declared.activation.elementwise import Activation
from irrun.ops.departures import NAN_SELECTED


@op("ReLU", opset=1, page="relu-1")
class ReLU(Activation):
    """Rectified linear unit: max(0, x)."""

    departures = {"nan": "returns 0 for NaN"}
    workarounds = {"nan": NAN_SELECTED}

    def run(self, data: Array) -> Array:
        return np.asarray(np.maximum(data, 0))

    def elementwise(self) -> Elementwise:
        return clipped(0.0, np.inf)
