from __future__ import annotations

from typing import Literal

from irrun.kernels.casting import in_floats
from irrun.kernels.normalization import unit_norm
from irrun.ops import Array, Fact, In, Op, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.normalization.axes import check_axes
from irrun.ops._declared.reduction.base import reduced_axes
from irrun.ops.declaration import CUT
from irrun.ops.departures import NAN_SPREAD
from irrun.tensor.element_type import INTEGER, NUMERIC

T = TypeVar("T", NUMERIC)


@op("NormalizeL2", opset=1, page="normalize-l2-1")
class NormalizeL2(Op):
    """Divide by the L2 norm along axes.

    With no axes each element is divided by itself.

    Note: in that case zero stays zero.
    """

    departures = {"beside nan": "may ignore NaN in a sum of squares with eps_mode max"}
    workarounds = {"beside nan": NAN_SPREAD}

    inputs = (In("data", T), In("axes", INTEGER, "the axes of the norm, a scalar or a list", rank=(0, 1), also=CUT))
    outputs = (Out("output", T),)

    eps: float = attr(doc="a small number that keeps the norm from being zero", ge=0, openvino=0.0)
    eps_mode: Literal["add", "max"] = attr(doc="combination of eps and the sum of squares", openvino="add")

    def infer(self, data: Fact, axes: Fact) -> Shape:
        check_axes(data, axes)
        return data.shape

    def run(self, data: Array, axes: Array) -> Array:
        over = reduced_axes(axes, data.ndim)
        return in_floats(unit_norm, data, over, self.eps, self.eps_mode == "max")
