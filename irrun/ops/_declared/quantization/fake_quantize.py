from __future__ import annotations

from typing import Any, Final, Literal

import numpy as np

from irrun.kernels.quantize import fake_quantize
from irrun.ops import Array, Fact, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.arithmetic.elementwise import align_pdpd
from irrun.ops.declaration import FLOATED_WIDE
from irrun.ops.departures import IN_F32, NAN_SELECTED, OF_RANK_1
from irrun.ops.shapes import EXPLICIT, broadcast_pdpd, broadcasts_onto
from irrun.tensor.element_type import FLOAT, NUMERIC

T_F = TypeVar("T_F", NUMERIC)

_UNLIMITED: Final = 2**64
"""The number of levels where none is given: OpenVINO counts 0 - 1 steps in 64 bits without sign."""


@op("FakeQuantize", opset=1)
class FakeQuantize(Op):
    """Quantize floats to a number of levels between two limits, keeping them as floats.

    Elements at input_low or below become output_low, those above input_high output_high. The interval between is
    divided into levels - 1 equal steps.

    Note: as in OpenVINO, the limits may have other float types than X, and X may be integer: 8-bit results are rounded
    to nearest, ties to even, wider ones truncated.
    """

    departures = {
        "nan": "returns the lower limit for NaN",
        "equal limits": "returns NaN where input_low and input_high are equal, unless X has rank 1",
        "swapped limits": "returns output_low where input_low is above input_high, unless X has rank 1",
        "of integers": "refuses or ignores infinite limits of integers, which the page does not define",
        "rank 7": "truncates 8-bit results from rank 7 on, which the page does not define",
        "none": "refuses auto_broadcast none",
        "one output limit": "uses one step for all channels if only one limit of the output has several elements",
    }
    workarounds = {
        "nan": NAN_SELECTED,
        "equal limits": OF_RANK_1,
        "swapped limits": OF_RANK_1,
        "of integers": IN_F32,
        "rank 7": OF_RANK_1,
        "none": "auto_broadcast numpy",
        "one output limit": "Broadcast the limits of the output to one shape",
    }

    inputs = (
        In("X", T_F),
        In("input_low", FLOAT, "lower limit of the input"),
        In("input_high", FLOAT, "upper limit of the input"),
        In("output_low", FLOAT, "least result", also=FLOATED_WIDE),
        In("output_high", FLOAT, "greatest result", also=FLOATED_WIDE),
    )
    outputs = (Out("output", T_F),)

    levels: int = attr(doc="number of levels", ge=2, openvino=_UNLIMITED)
    auto_broadcast: Literal["numpy", "none", "pdpd"] = attr(
        "numpy", doc="rule for broadcasting the limits to X", aliases=EXPLICIT
    )
    axis: int = attr(0, name="auto_broadcast.auto_broadcast_axis", doc="axis of X on which a limit begins, for pdpd")

    def infer(self, x: Fact, *limits: Fact) -> Shape:
        for index, limit in enumerate(limits, start=1):
            name = self.inputs[index].name
            if self.auto_broadcast == "pdpd":
                broadcast_pdpd(x.shape, limit.shape, self.axis)
            elif self.auto_broadcast == "none" and not x.shape.compatible(limit.shape):
                raise OpError(
                    f"{name} {limit.shape} is not of the shape {x.shape}; auto_broadcast is none", input=index
                )
            elif not broadcasts_onto(limit.shape, x.shape):
                raise OpError(f"{name} {limit.shape} does not broadcast to {x.shape}", input=index)
        return x.shape

    def run(self, x: Array, *limits: Array) -> Array:
        data = x if x.dtype.kind == "f" else x.astype(np.float64)
        input_low, input_high, output_low, output_high = (self.aligned(limit, x.ndim) for limit in limits)
        result = fake_quantize(data, input_low, input_high, output_low, output_high, self.levels)
        return np.rint(result) if x.dtype.kind != "f" and x.dtype.itemsize == 1 else result

    def aligned(self, limit: Any, rank: int) -> Any:
        """Return a limit in a shape that NumPy broadcasts to X of a rank."""
        if self.auto_broadcast == "pdpd":
            return align_pdpd(limit, rank, self.axis)
        return limit.reshape(limit.shape[max(limit.ndim - rank, 0) :])
