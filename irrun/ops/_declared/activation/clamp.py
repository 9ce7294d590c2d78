from __future__ import annotations

import math

import numpy as np

from irrun.kernels.elementwise import Elementwise, clipped
from irrun.ops import Array, Dim, Fact, Fold, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.arithmetic.elementwise import over_dims
from irrun.ops.departures import NAN_SELECTED, Departure, Layer
from irrun.tensor import UNBOUNDED
from irrun.tensor.element_type import NUMERIC

T = TypeVar("T", NUMERIC)


def _min_of_8_bits(op: Clamp, layer: Layer) -> str | None:
    kind = layer.inputs[0].type
    if kind.is_integer and kind.bits == 8 and math.isfinite(op.min) and op.min > 0 and op.min % 1:
        return f"rounds min {op.min:g} of a Clamp of {kind} down, the specification up"
    return None


@op("Clamp", opset=1)
class Clamp(Op):
    """Clip every element to the closed interval [min, max].

    Integer tensors are clipped to the integers inside the interval: ceil(min) and floor(max).
    """

    departures = {
        "nan": "returns min for NaN",
        "8-bit": Departure("rounds min of 8-bit integers down", _min_of_8_bits),
    }
    workarounds = {"nan": NAN_SELECTED, "8-bit": "a whole number as min"}

    workspace = 8
    foldable = Fold.BOUNDS
    inputs = (In("data", T),)
    outputs = (Out("output", T),)

    min: float = attr(doc="lower bound", openvino=0.0)
    max: float = attr(doc="upper bound", openvino=0.0)

    def verify(self) -> None:
        if math.isnan(self.min) or math.isnan(self.max):
            raise OpError("a bound is nan", attribute="min" if math.isnan(self.min) else "max")
        if self.min > self.max:
            raise OpError(f"min ({self.min:g}) is above max ({self.max:g})", attribute="min")

    def infer(self, data: Fact) -> Shape:
        return data.shape

    def run(self, data: Array) -> Array:
        if data.dtype == object:
            return _of_dims(data, self.min, self.max)
        if data.dtype.kind == "f":
            return np.asarray(np.clip(data, data.dtype.type(self.min), data.dtype.type(self.max)))
        bounds = np.iinfo(data.dtype)
        low, high = (_within(bound, bounds.min, bounds.max) for bound in (self.min, self.max))
        return np.asarray(np.clip(data, math.ceil(low), math.floor(high)))

    def elementwise(self) -> Elementwise:
        return clipped(self.min, self.max)


def _of_dims(dims: Array, low: float, high: float) -> Array:
    """Clip partly known integers; bounds that no size reaches leave them as they are."""
    if low > -UNBOUNDED:
        dims = over_dims(Dim.maximum, dims, np.array(math.ceil(min(low, UNBOUNDED)), object))
    if high < UNBOUNDED:
        dims = over_dims(Dim.minimum, dims, np.array(math.floor(max(high, -UNBOUNDED)), object))
    return dims


def _within(bound: float, least: int, most: int) -> float | int:
    return min(max(bound, least), most)
