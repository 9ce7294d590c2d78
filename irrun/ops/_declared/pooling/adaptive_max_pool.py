from __future__ import annotations

from typing import Literal

from irrun.kernels.pooling import adaptive, max_pool_indices
from irrun.ops import Array, Fact, In, Op, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.pooling.base import adaptive_shape
from irrun.ops.declaration import CUT, FLAGS
from irrun.tensor.element_type import INTEGER, NUMERIC

T = TypeVar("T", NUMERIC, also=FLAGS)


@op("AdaptiveMaxPool", opset=8)
class AdaptiveMaxPool(Op):
    """The maximum and its index in windows that divide each spatial axis evenly into a given number of parts.

    Window i of n spans the elements from floor(i * size / n) up to ceil((i + 1) * size / n). Indices count the spatial
    elements of one channel.

    Note: NaN is ignored; of equal elements the first is selected.
    """

    departures = {
        "nan": "returns NaN where the first element of a window is NaN",
        "i64": "refuses indices of i64",
    }
    workarounds = {"i64": "indices of i32, and Convert after it"}

    inputs = (
        In("data", T, "[N, C, D, H, W]", rank=(3, 4, 5)),
        In("output_shape", INTEGER, "the spatial sizes of the output", rank=1, also=CUT),
    )
    outputs = (Out("output", T), Out("indices", "index_element_type"))

    index_element_type: Literal["i64", "i32"] = attr("i64", doc="type of the indices")

    def infer(self, data: Fact, output_shape: Fact) -> tuple[Shape, Shape]:
        shape = adaptive_shape(data.shape, output_shape.dims())
        return shape, shape

    def run(self, data: Array, output_shape: Array) -> tuple[Array, Array]:
        return max_pool_indices(data, adaptive(data.shape[2:], output_shape.tolist()))
