from __future__ import annotations

from irrun.kernels.erf import erfinv
from irrun.ops import In, Out, op
from irrun.ops._declared.arithmetic.elementwise import T_FLOAT, Unary


@op("ErfInv", opset=17, page="erfinv-17")
class ErfInv(Unary):
    """Element-wise inverse of the error function: ±inf at ±1, NaN outside [-1, 1]."""

    departures = {"tails": "is off by up to 2e-3 near ±1"}

    inputs = (In("data", T_FLOAT),)
    outputs = (Out("output", T_FLOAT),)
    function = erfinv
