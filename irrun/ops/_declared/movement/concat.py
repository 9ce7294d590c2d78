from __future__ import annotations

import numpy as np

from irrun.ops import Array, Dim, Fact, Fold, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops.shapes import merge_dims, normalize_axis, with_axis
from irrun.tensor.element_type import ANY

T = TypeVar("T", ANY)


@op("Concat", opset=1)
class Concat(Op):
    """Concatenate tensors along an axis."""

    workspace = 8
    inputs = (In("inputs", T, "tensors that may differ only in the size of the axis", variadic=True),)
    outputs = (Out("output", T),)
    foldable = Fold.BOUNDS
    reads_slices = True

    axis: int = attr(doc="the axis; a negative number counts from the end", openvino=0)

    def infer(self, *inputs: Fact) -> Shape:
        merged = Shape.unknown()
        length: Dim | int = 0
        for index, fact in enumerate(inputs):
            if fact.shape.dims is None:
                length = length + Dim()
                continue
            if len(fact.shape) == 0:
                raise OpError(f"input {index} is a scalar, expected a tensor of rank 1 or more", input=index)
            axis = normalize_axis(self.axis, len(fact.shape))
            length = length + fact.shape[axis]
            merged = fact.shape if merged.dims is None else _merge(merged, fact.shape, axis, index)
        if merged.dims is None:
            return merged
        return with_axis(merged, normalize_axis(self.axis, len(merged)), length)

    def run(self, *inputs: Array) -> Array:
        return inputs[0] if len(inputs) == 1 else np.concatenate(inputs, axis=self.axis)


def _merge(known: Shape, shape: Shape, axis: int, index: int) -> Shape:
    if len(known) != len(shape):
        raise OpError(f"input {index} has rank {len(shape)}, expected {len(known)} as the others", input=index)
    pairs = enumerate(zip(known, shape, strict=True))
    return Shape(
        [
            a if place == axis else merge_dims(a, b, f"size {place} of all inputs", input=index)
            for place, (a, b) in pairs
        ]
    )
