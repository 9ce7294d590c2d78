from __future__ import annotations

import numpy as np

from irrun.ops import Array, In, Out, op
from irrun.ops._declared.reduction.base import Reduction
from irrun.ops.departures import LEFT_OUT, Departure
from irrun.tensor.element_type import BOOLEAN, INTEGER


@op("ReduceLogicalAnd", opset=1)
class ReduceLogicalAnd(Reduction):
    """Logical conjunction of the elements along axes."""

    departures = {
        **Reduction.departures,
        "varying axes": Departure("refuses axes that are not constant", lambda _, layer: layer.varies(1)),
    }
    workarounds = {
        "no axes": LEFT_OUT,
        "varying axes": "Convert to f32, ReduceMin with axes that vary, and Convert back",
    }

    inputs = (In("data", BOOLEAN), In("axes", INTEGER, "the axes to reduce, a scalar or a list", rank=(0, 1)))
    outputs = (Out("output", BOOLEAN),)

    def reduce(self, data: Array, axes: tuple[int, ...]) -> Array:
        return np.asarray(np.all(data, axis=axes, keepdims=self.keep_dims))
