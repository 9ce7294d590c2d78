from __future__ import annotations

import numpy as np

from irrun.ops import Array, Fact, Fold, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops.declaration import COUNTED
from irrun.ops.shapes import axes_of, normalize_axis
from irrun.tensor.element_type import I32, I64, NUMERIC

T = TypeVar("T", NUMERIC, also=COUNTED)


@op("CumSum", opset=3, page="cumsum-3")
class CumSum(Op):
    """Running sums along one axis, in the type of the input; integers wrap."""

    inputs = (
        In("data", T),
        In("axis", frozenset({I32, I64}), "a scalar; 0 where it is absent", optional=True, rank=(0, 1)),
    )
    outputs = (Out("output", T),)
    foldable = Fold.DIMS

    exclusive: bool = attr(False, doc="whether an element is left out of its own sum")
    reverse: bool = attr(False, doc="whether the sums start at the end of the axis")

    def infer(self, data: Fact, axis: Fact | None) -> Shape:
        if data.rank == 0:
            raise OpError("data is a scalar, expected a tensor of rank 1 or more", input=0)
        if axis is not None and axis.shape.rank is not None and not axis.shape.size.admits(1):
            raise OpError(f"axis has shape {axis.shape}, expected a scalar", input=1)
        if axis is not None and data.rank is not None:
            axes_of(axis, data.rank, input=1)
        return data.shape

    def run(self, data: Array, axis: Array | None) -> Array:
        along = 0 if axis is None else normalize_axis(int(axis.reshape(-1)[0]), data.ndim, attribute=None, input=1)
        ordered = np.flip(data, along) if self.reverse else data
        if self.exclusive:
            start = np.zeros_like(ordered.take([0], along)) if data.shape[along] else ordered
            ordered = np.concatenate([start, ordered.swapaxes(0, along)[:-1].swapaxes(0, along)], along)
        sums = np.cumsum(ordered, along, dtype=data.dtype)
        return np.flip(sums, along) if self.reverse else sums
