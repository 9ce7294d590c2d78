from __future__ import annotations

from irrun.kernels.pooling import adaptive, avg_pool
from irrun.ops import Array, Fact, In, Op, Out, Shape, TypeVar, op
from irrun.ops._declared.pooling.base import adaptive_shape
from irrun.ops.declaration import CUT
from irrun.tensor.element_type import INTEGER, NUMERIC

T = TypeVar("T", NUMERIC)


@op("AdaptiveAvgPool", opset=8)
class AdaptiveAvgPool(Op):
    """The mean of windows that divide each spatial axis evenly into a given number of parts.

    Window i of n spans the elements from floor(i * size / n) up to ceil((i + 1) * size / n).
    """

    inputs = (
        In("data", T, "[N, C, D, H, W]", rank=(3, 4, 5)),
        In("output_shape", INTEGER, "the spatial sizes of the output", rank=1, also=CUT),
    )
    outputs = (Out("output", T),)

    def infer(self, data: Fact, output_shape: Fact) -> Shape:
        return adaptive_shape(data.shape, output_shape.dims())

    def run(self, data: Array, output_shape: Array) -> Array:
        return avg_pool(data, adaptive(data.shape[2:], output_shape.tolist()))
