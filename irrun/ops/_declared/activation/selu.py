from __future__ import annotations

import numpy as np

from irrun.kernels.activation import elu
from irrun.ops import Array, Fact, In, Op, OpError, Out, Shape, TypeVar, op
from irrun.ops.departures import Departure
from irrun.tensor.element_type import FLOAT

T = TypeVar("T", FLOAT)


@op("Selu", opset=1)
class Selu(Op):
    """Scaled exponential linear unit: lambda * x where x is positive, lambda * alpha * (exp(x) - 1) elsewhere."""

    departures = {
        "parameters": Departure("refuses alpha and lambda that are not constant", lambda _, layer: layer.varies(1, 2))
    }
    workarounds = {"parameters": "Exp, Minimum, Maximum, Multiply and Add in its place"}

    inputs = (
        In("data", T),
        In("alpha", T, "scale of the negative part, one element", rank=(0, 1)),
        In("lambda", T, "scale of the whole, one element", rank=(0, 1)),
    )
    outputs = (Out("output", T),)

    def infer(self, data: Fact, alpha: Fact, scale: Fact) -> Shape:
        for index, (name, fact) in enumerate((("alpha", alpha), ("lambda", scale)), start=1):
            if not fact.shape.size.admits(1):
                raise OpError(f"{name} has shape {fact.shape}, expected a single element", input=index)
        return data.shape

    def run(self, data: Array, alpha: Array, scale: Array) -> Array:
        return np.asarray(elu(data, alpha.reshape(())) * scale.reshape(()))
