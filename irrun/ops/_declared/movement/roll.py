from __future__ import annotations

import numpy as np

from irrun.diagnostics import amount
from irrun.ops import Array, Fact, Fold, In, Op, OpError, Out, Shape, TypeVar, op
from irrun.ops.shapes import axes_of, normalize_axis
from irrun.tensor.element_type import ANY, I32, I64

T = TypeVar("T", ANY)
INDEX = frozenset({I32, I64})


@op("Roll", opset=7)
class Roll(Op):
    """Shift the elements of a tensor along axes, cyclically."""

    departures = {"one shift": "refuses one shift for several axes"}
    workarounds = {"one shift": "one shift for each axis"}

    inputs = (
        In("data", T),
        In("shift", INDEX, "the shift of each axis toward larger indices; one number for all", rank=(0, 1)),
        In("axes", INDEX, "the axes; shifts of an axis that is listed twice add up", rank=(0, 1)),
    )
    outputs = (Out("output", T),)
    foldable = Fold.DIMS

    def infer(self, data: Fact, shift: Fact, axes: Fact) -> Shape:
        if shift.rank == 1 and not shift.shape.size.admits(1) and axes.rank is not None:
            count = axes.shape.size
            if not count.compatible(shift.shape.size):
                raise OpError(f"shift has {amount(shift.shape.size, 'element')}, expected {count} as axes", input=1)
        if data.rank is not None:
            axes_of(axes, data.rank, input=2)
        return data.shape

    def run(self, data: Array, shift: Array, axes: Array) -> Array:
        listed = [normalize_axis(int(axis), data.ndim, attribute=None, input=2) for axis in axes.reshape(-1).tolist()]
        shifts = [int(step) for step in shift.reshape(-1).tolist()]
        return np.roll(data, shifts * len(listed) if len(shifts) == 1 else shifts, listed) if listed else data
