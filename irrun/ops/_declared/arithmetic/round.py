from __future__ import annotations

from typing import Literal

import numpy as np

from irrun.kernels.casting import nearest
from irrun.ops import Array, Fact, Fold, In, Op, Out, Shape, TypeVar, attr, op
from irrun.ops.declaration import FLAGS
from irrun.tensor.element_type import NUMERIC

T = TypeVar("T", NUMERIC, also=FLAGS)


@op("Round", opset=5)
class Round(Op):
    """Element-wise rounding to the nearest integer."""

    departures = {"away": "adds a half and truncates with half_away_from_zero, so that 0.49999997 becomes 1"}
    workarounds = {"away": "Floor(Abs(x)), one more where the rest is at least 0.5, times Sign(x)"}

    inputs = (In("data", T),)
    outputs = (Out("output", T),)
    foldable = Fold.BOUNDS

    mode: Literal["half_to_even", "half_away_from_zero"] = attr("half_to_even", doc="rounding of halves")

    def infer(self, data: Fact) -> Shape:
        return data.shape

    def run(self, data: Array) -> Array:
        if data.dtype.kind != "f":
            return data
        return np.rint(data) if self.mode == "half_to_even" else nearest(data)
