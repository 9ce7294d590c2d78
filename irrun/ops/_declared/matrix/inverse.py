from __future__ import annotations

import numpy as np

from irrun.ops import Array, Fact, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops.shapes import merge_dims
from irrun.tensor.element_type import FLOAT

T = TypeVar("T", FLOAT)


@op("Inverse", opset=14)
class Inverse(Op):
    """Inverse of each square matrix in a stack, or its transpose.

    Every type is computed in float32.

    Note: a matrix without an inverse is an error.
    """

    departures = {"nan": "returns NaN throughout where a product overflows, or an element is NaN"}
    inputs = (In("data", T, "square matrices in the last two axes"),)
    outputs = (Out("output", T),)

    adjoint: bool = attr(False, doc="whether the inverse is transposed")

    def infer(self, data: Fact) -> Shape:
        if data.shape.dims is None:
            return data.shape
        if len(data.shape) < 2:
            raise OpError(f"the input has rank {len(data.shape)}, expected 2 or more", input=0)
        size = merge_dims(data.shape[-2], data.shape[-1], "the last two sizes", input=0)
        return Shape([*data.shape[:-2], size, size])

    def run(self, data: Array) -> Array:
        try:
            inverse = np.linalg.inv(data.astype(np.float32, copy=False))
        except np.linalg.LinAlgError:
            raise OpError("a matrix has no inverse", input=0) from None
        return np.swapaxes(inverse, -1, -2) if self.adjoint else inverse
