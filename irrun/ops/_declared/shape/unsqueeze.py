from __future__ import annotations

from collections.abc import Iterator, Sequence

from irrun.ops import Array, Dim, Fact, Fold, In, Op, Out, Shape, TypeVar, op
from irrun.ops.declaration import CUT
from irrun.ops.departures import LEFT_OUT
from irrun.ops.refuting import Refutation, inserted
from irrun.ops.shapes import normalize_axis
from irrun.tensor.element_type import ANY, INTEGER

T = TypeVar("T", ANY)


@op("Unsqueeze", opset=1)
class Unsqueeze(Op):
    """Insert axes of size 1, at their positions in the result.

    Note: a repeated axis is inserted once, as in OpenVINO; negative ones count from the end of a result with one axis
    for each different number.
    """

    departures = {"no axes": "requires an axis"}
    workarounds = {"no axes": LEFT_OUT}

    inputs = (
        In("data", T),
        In("axes", INTEGER, "the new axes; negative ones count from the end of the result", rank=(0, 1), also=CUT),
    )
    outputs = (Out("output", T),)
    foldable = Fold.BOUNDS
    view = True

    def infer(self, data: Fact, axes: Fact) -> Shape:
        listed = axes.ints()
        if data.shape.dims is None:
            return Shape.unknown()
        if listed is None:
            one_axis = axes.shape.dims is not None and axes.shape.size == 1
            return Shape.unknown(len(data.shape) + 1) if one_axis else Shape.unknown()
        dims = list(data.shape)
        for axis in _places(listed, len(dims)):
            dims.insert(axis, Dim.exactly(1))
        return Shape(dims)

    def refute(self, declared: Sequence[Shape], data: Fact, axes: Fact) -> Iterator[Refutation]:
        if declared[0].dims is None or data.shape.dims is None:
            return
        count = axes.shape.size
        if not inserted(declared[0], data.shape.dims, Dim(min(count.lo, 1), count.hi)):
            yield Refutation(f"it does not follow from data {data.shape} by inserting axes of size 1")

    def run(self, data: Array, axes: Array) -> Array:
        listed = [int(axis) for axis in axes.reshape(-1).tolist()]
        sizes = list(data.shape)
        for axis in _places(listed, data.ndim):
            sizes.insert(axis, 1)
        return data.reshape(sizes)


def _places(axes: Sequence[int], rank: int) -> list[int]:
    """Return the new axes, ascending. One after the last axis of the result is its last."""
    full = rank + len(set(axes))
    return sorted({normalize_axis(axis, full, attribute=None, input=1) for axis in axes})
