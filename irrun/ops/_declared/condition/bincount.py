from __future__ import annotations

import numpy as np

from irrun.ops import Array, Dim, Fact, In, Op, OpError, Out, Shape, attr, op
from irrun.tensor import UNBOUNDED
from irrun.tensor.element_type import F32, F64, I32, I64, U8, U16, U32, U64

_DATA = frozenset({I32, I64, U8, U16, U32, U64})
_WEIGHTS = frozenset({F32, F64, I32, I64})


@op("Bincount", opset=17)
class Bincount(Op):
    """Count the occurrences of each integer from zero on, or sum their weights.

    The output is as long as the greatest element requires, and at least minlength.
    """

    inputs = (
        In("data", _DATA, "integers, none negative", rank=1),
        In("weights", _WEIGHTS, "weight of each element of data; 1 where absent", rank=1, optional=True),
    )
    outputs = (Out("output", _WEIGHTS, "i64 without weights, else of their type"),)

    minlength: int = attr(0, doc="least length of the output", ge=0)

    def infer(self, data: Fact, weights: Fact | None) -> Fact:
        if weights is not None and not data.shape.compatible(weights.shape):
            raise OpError(f"weights has shape {weights.shape}, expected that of data, {data.shape}", input=1)
        longest = 2**data.type.bits if data.type.kind == "uint" and data.type.bits <= 32 else UNBOUNDED
        length = Dim(self.minlength, max(self.minlength, longest))
        if data.constant is not None:
            length = Dim.exactly(self._length(data.constant))
        return Fact(I64 if weights is None else weights.type, Shape([length]))

    def run(self, data: Array, weights: Array | None) -> Array:
        length = self._length(data)
        if weights is None:
            return np.bincount(data.astype(np.int64, copy=False), minlength=length)
        sums = np.zeros(length, weights.dtype)
        np.add.at(sums, data, weights)
        return sums

    def _length(self, data: Array) -> int:
        if data.size == 0:
            return self.minlength
        if data.min() < 0:
            raise OpError(f"data has the element {data.min()}, expected none below 0", input=0)
        return max(int(data.max()) + 1, self.minlength)
