from __future__ import annotations

from typing import Literal

import numpy as np

from irrun.ops import REFUSED, Array, Fact, In, Op, Out, Shape, attr, op
from irrun.tensor.element_type import NUMERIC


@op("Bucketize", opset=3)
class Bucketize(Op):
    """The index of the bucket of each element; ascending boundaries divide the buckets.

    Note: NaN is in the first bucket where right edges are included, and in the last where left ones are.
    """

    departures = {"nan": "does not order NaN"}
    inputs = (In("data", NUMERIC), In("buckets", NUMERIC, "the boundaries, ascending", rank=1))
    outputs = (Out("output", "output_type"),)

    output_type: Literal["i64", "i32"] = attr("i64", doc="type of the output", openvino=REFUSED)
    with_right_bound: bool = attr(True, doc="whether a bucket includes its right edge; otherwise the left one")

    def infer(self, data: Fact, buckets: Fact) -> Shape:
        return data.shape

    def run(self, data: Array, buckets: Array) -> Array:
        found = np.searchsorted(buckets, data, side="left" if self.with_right_bound else "right")
        if self.with_right_bound and data.dtype.kind == "f":
            return np.where(np.isnan(data), 0, found)
        return np.asarray(found)
