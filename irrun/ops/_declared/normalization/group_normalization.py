from __future__ import annotations

from irrun.kernels.casting import in_floats
from irrun.kernels.normalization import group
from irrun.ops import Array, Dim, Fact, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops.shapes import merge_dims, with_axis
from irrun.tensor.element_type import NUMERIC

T = TypeVar("T", NUMERIC)


@op("GroupNormalization", opset=12)
class GroupNormalization(Op):
    """Normalize groups of channels by their mean and variance, then scale and shift each channel."""

    inputs = (
        In("data", T, "[batch, channels, ...]"),
        In("scale", NUMERIC, "factor of each channel", rank=1),
        In("bias", NUMERIC, "shift of each channel", rank=1),
    )
    outputs = (Out("output", T),)

    num_groups: int = attr(doc="number of groups; divides the number of channels", ge=1)
    epsilon: float = attr(doc="added to the variance", ge=0, openvino=0.0)

    def infer(self, data: Fact, scale: Fact, bias: Fact) -> Shape:
        channels = Dim()
        for index, (name, fact) in enumerate((("scale", scale), ("bias", bias)), start=1):
            if fact.shape.dims is not None:
                channels = merge_dims(channels, fact.shape[0], f"the sizes of scale and {name}", input=index)
        if data.shape.dims is None:
            return data.shape
        if len(data.shape) < 2:
            raise OpError(f"data has shape {data.shape}, expected at least two axes, batch and channels", input=0)
        channels = merge_dims(data.shape[1], channels, "the channels of data and the size of scale and bias", input=0)
        if channels.is_static and channels.lo % self.num_groups != 0:
            raise OpError(f"{channels} channels do not divide into {self.num_groups} groups", attribute="num_groups")
        return with_axis(data.shape, 1, channels)

    def run(self, data: Array, scale: Array, bias: Array) -> Array:
        return in_floats(group, data, scale, bias, self.num_groups, self.epsilon)
