from __future__ import annotations

from irrun.kernels.activation import prelu
from irrun.kernels.casting import in_floats
from irrun.ops import Array, Fact, In, Legacy, Op, OpError, Out, Shape, TypeVar, op
from irrun.ops.declaration import FLAGS
from irrun.ops.shapes import broadcasts_onto
from irrun.tensor.element_type import NUMERIC

T = TypeVar("T", NUMERIC, also=FLAGS)


@op("PReLU", opset=1, page="prelu-1")
class PReLU(Op):
    """Rectified linear unit with a slope for negative elements: x, or slope * x where x is negative.

    A 1D slope of the length of the second axis of data holds a value for each channel. Any other slope is broadcast to
    data by NumPy's rule.

    Note: the only axis of 1D data is the channel axis. As in OpenVINO, slope may have another type than data; the
    products of integers are then rounded to nearest, ties to even.
    """

    inputs = (In("data", T), In("slope", NUMERIC, "factor of the negative elements", also=FLAGS))
    outputs = (Out("output", T),)
    legacy = (
        Legacy(
            *("channel_shared", "filler_type", "filler_value", "max", "mean", "min", "sparse", "std", "variance_norm"),
            since="2019 R2",
            until="2019 R3",
        ),
    )

    def infer(self, data: Fact, slope: Fact) -> Shape:
        if data.shape.dims is None or slope.shape.dims is None or broadcasts_onto(slope.shape, data.shape):
            return data.shape
        if len(slope.shape) == 1 and len(data.shape) > 1 and slope.shape[0].compatible(data.shape[1]):
            return data.shape
        raise OpError(
            f"slope {slope.shape} does not broadcast to data {data.shape}, nor is it one for each channel", input=1
        )

    def run(self, data: Array, slope: Array) -> Array:
        if slope.ndim == 1 and data.ndim > 1 and slope.shape[0] == data.shape[1]:
            slope = slope.reshape(-1, *(1,) * (data.ndim - 2))
        slope = slope.reshape(slope.shape[max(slope.ndim - data.ndim, 0) :])
        return prelu(data, slope) if slope.dtype == data.dtype else in_floats(prelu, data, slope)
