from __future__ import annotations

from irrun.ops import Array, Fact, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops.shapes import has_multiple, normalize_axis
from irrun.tensor.element_type import ANY

T = TypeVar("T", ANY)


@op("ShuffleChannels", opset=1)
class ShuffleChannels(Op):
    """Interleave the groups of channels of a tensor."""

    inputs = (In("data", T, "a tensor of rank 1 or more"),)
    outputs = (Out("output", T),)

    axis: int = attr(1, doc="the axis of the channels; a negative number counts from the end")
    group: int = attr(1, doc="the number of groups, a divisor of the number of channels", ge=1)

    def infer(self, data: Fact) -> Shape:
        if data.shape.dims is None:
            return data.shape
        if len(data.shape) == 0:
            raise OpError("data is a scalar, expected rank 1 or more", input=0)
        channels = data.shape[normalize_axis(self.axis, len(data.shape))]
        if not has_multiple(channels, self.group):
            raise OpError(f"{channels} channels do not divide into {self.group} groups", attribute="group")
        return data.shape

    def run(self, data: Array) -> Array:
        axis = self.axis % data.ndim
        before, channels, after = data.shape[:axis], data.shape[axis], data.shape[axis + 1 :]
        grouped = data.reshape(*before, self.group, channels // self.group, *after)
        return grouped.swapaxes(axis, axis + 1).reshape(data.shape)
