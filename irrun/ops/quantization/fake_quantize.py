from __future__ import annotations

from typing import Literal

from irrun.kernels.activation import in_floats
from irrun.kernels.quantize import fake_quantize
from irrun.ops import Array, Fact, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops.arithmetic.elementwise import align_pdpd
from irrun.ops.shapes import broadcast_pdpd, broadcasts_onto
from irrun.tensor.element_type import NUMERIC

T_F = TypeVar("T_F", NUMERIC)


@op("FakeQuantize", opset=1)
class FakeQuantize(Op):
    """Quantize floats to a number of levels between two limits, and keep them as floats.

    Elements at input_low or below become output_low, those above input_high output_high. The interval between is
    divided into levels - 1 equal steps.

    Departure: the native CPU plugin gives NaN where input_low and input_high are equal, and output_low where input_low
    is above input_high. It aligns the limits on the right for pdpd too, and refuses auto_broadcast none.
    """

    inputs = (
        In("X", T_F),
        In("input_low", T_F, "lower limit of the input"),
        In("input_high", T_F, "upper limit of the input"),
        In("output_low", T_F, "least result"),
        In("output_high", T_F, "greatest result"),
    )
    outputs = (Out("output", T_F),)

    levels: int = attr(doc="number of levels", ge=2, openvino=0)
    auto_broadcast: Literal["numpy", "none", "pdpd"] = attr(
        "numpy", doc="how the shapes of the limits are matched to X"
    )
    axis: int = attr(0, name="auto_broadcast.auto_broadcast_axis", doc="where a limit is laid on X, for pdpd")

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
        return in_floats(fake_quantize, x, *(self._aligned(limit, x.ndim) for limit in limits), self.levels)

    def _aligned(self, limit: Array, rank: int) -> Array:
        if self.auto_broadcast == "pdpd":
            return align_pdpd(limit, rank, self.axis)
        return limit.reshape(limit.shape[max(limit.ndim - rank, 0) :])
