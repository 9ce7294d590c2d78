from __future__ import annotations

import numpy as np

from irrun.diagnostics import amount
from irrun.ops import Array, Fact, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.detection.boxes import ranked
from irrun.ops.shapes import exact_quotient, has_multiple
from irrun.tensor.element_type import ANY

T = TypeVar("T", ANY)


@op("ReorgYolo", opset=2, page="reorg-yolo-1")
class ReorgYolo(Op):
    """Rearrange blocks of stride x stride elements into channels.

    Note: the order of elements is YOLO's, as if the input had the shape [N, C / stride², H * stride, W * stride].
    """

    inputs = (In("data", T, "[N, C, H, W]", rank=4),)
    outputs = (Out("output", T, "[N, C * stride * stride, H / stride, W / stride]"),)

    stride: int = attr(doc="rows and columns of a block", gt=0)

    def infer(self, data: Fact) -> Shape:
        batches, channels, height, width = ranked(data, 4)
        stride = self.stride
        if channels.hi < stride * stride:
            raise OpError(
                f"data has {amount(channels, 'channel')}, expected at least {stride * stride} (stride * stride)",
                input=0,
            )
        for name, dim in (("height", height), ("width", width)):
            if not has_multiple(dim, stride):
                raise OpError(f"data has {name} {dim}, expected a multiple of stride ({stride})", input=0)
        return Shape(
            [batches, channels * stride * stride, exact_quotient(height, stride), exact_quotient(width, stride)]
        )

    def run(self, data: Array) -> Array:
        batches, channels, height, width = data.shape
        stride = self.stride
        inner = channels // stride**2
        batch, channel, row, column = np.ix_(*map(np.arange, data.shape))
        block, plane = channel // inner, channel % inner
        row, column = row * stride + block // stride, column * stride + block % stride
        at = ((batch * inner + plane) * height * stride + row) * width * stride + column
        moved: Array = np.take(data.reshape(-1), at, mode="clip")
        return moved.reshape(batches, channels * stride**2, height // stride, width // stride)
