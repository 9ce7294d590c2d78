from __future__ import annotations

import numpy as np

from irrun.ops import Array, Dim, Fact, Op, Out, Shape, op
from irrun.ops._declared.tokenizers.ports import flat, same_shape, strings, texts
from irrun.tensor.element_type import I32


@op("EqualStr", opset="extension")
class EqualStr(Op):
    """1 where two strings are equal, else 0.

    The shorter tensor is extended by its first string; there are no elements where one of them has none.
    """

    inputs = (*strings("first", "the first ones"), *strings("second", "the second ones"))
    outputs = (Out("equal", I32, "[strings], as many as the longer tensor has"),)

    def infer(self, begins: Fact, ends: Fact, _: Fact, *second: Fact) -> Shape:
        a, b = flat(same_shape(begins, ends, input=0)), flat(same_shape(*second[:2], input=3))
        if a == 0 or b == 0:
            return Shape([0])
        longest = a.maximum(b)
        return Shape([longest.union(Dim.exactly(0)) if a.admits(0) or b.admits(0) else longest])

    def run(self, begins: Array, ends: Array, chars: Array, *second: Array) -> Array:
        first, other = texts(begins, ends, chars, input=0), texts(*second, input=3)
        if not first or not other:
            return np.zeros(0, np.int32)
        count = max(len(first), len(other))
        first += first[:1] * (count - len(first))
        other += other[:1] * (count - len(other))
        return np.fromiter((a == b for a, b in zip(first, other, strict=True)), np.int32, count)
