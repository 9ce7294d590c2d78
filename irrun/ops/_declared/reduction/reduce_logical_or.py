from __future__ import annotations

import numpy as np

from irrun.ops import Array, In, Out, op
from irrun.ops._declared.reduction.base import Reduction
from irrun.ops.departures import LEFT_OUT, Departure
from irrun.tensor.element_type import BOOLEAN, INTEGER


@op("ReduceLogicalOr", opset=1)
class ReduceLogicalOr(Reduction):
    """Logical disjunction of the elements along axes."""

    departures = {
        **Reduction.departures,
        "varying axes": Departure("refuses axes that are not constant", lambda _, layer: layer.varies(1)),
    }
    workarounds = {
        "no axes": LEFT_OUT,
        "varying axes": "Convert to f32, ReduceMax with axes that vary, and Convert back",
    }

    inputs = (In("data", BOOLEAN), In("axes", INTEGER, "the axes to reduce, a scalar or a list", rank=(0, 1)))
    outputs = (Out("output", BOOLEAN),)

    def reduce(self, data: Array, axes: tuple[int, ...]) -> Array:
        return np.asarray(np.any(data, axis=axes, keepdims=self.keep_dims))
