from __future__ import annotations

from typing import Literal

from irrun.kernels.casting import in_floats
from irrun.kernels.normalization import mean_variance
from irrun.ops import Array, Fact, In, Op, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.normalization.axes import check_axes
from irrun.ops._declared.reduction.base import reduced_axes
from irrun.ops.departures import Departure, is_empty
from irrun.ops.shapes import normalize_axis
from irrun.tensor.element_type import INTEGER, NUMERIC

T = TypeVar("T", NUMERIC)


@op("MVN", opset=2, page="mvn-1")
class MVNV2(Op):
    """Subtract the mean, and divide by the standard deviation, of each sample or of each of its channels.

    Note: the page requires one of across_channels and reduction_axes; OpenVINO writes both. Listed axes are used;
    otherwise the axes are all from the second, or from the third without across_channels.
    """

    departures = {"reduction_axes": "ignores reduction_axes"}

    workspace = 8
    inputs = (In("data", T, "[batch, channels, ...]"),)
    outputs = (Out("output", T),)

    across_channels: bool = attr(False, doc="whether channels share one mean and variance")
    reduction_axes: tuple[int, ...] | None = attr(None, doc="the axes that share one mean and variance")
    normalize_variance: bool = attr(doc="whether to divide by the standard deviation", openvino=False)
    eps: float = attr(doc="added to the variance", ge=0, openvino=0.0)

    def infer(self, data: Fact) -> Shape:
        if data.rank is not None:
            self.axes_of(data.rank)
        return data.shape

    def run(self, data: Array) -> Array:
        eps = self.eps if self.normalize_variance else None
        return in_floats(mean_variance, data, self.axes_of(data.ndim), eps)

    def axes_of(self, rank: int) -> tuple[int, ...]:
        """Return the axes that share one mean and variance."""
        if not self.reduction_axes:
            return tuple(range(1 if self.across_channels else 2, rank))
        return tuple({normalize_axis(axis, rank, attribute="reduction_axes") for axis in self.reduction_axes})


@op("MVN", opset=6)
class MVNV6(Op):
    """Subtract the mean along axes, and divide by the standard deviation. Without axes each element is its own mean."""

    departures = {
        "no axes": Departure(
            "returns the data of an MVN of a matrix without axes",
            lambda _, layer: layer.inputs[0].rank == 2 and is_empty(layer, 1),
        ),
    }

    workspace = 8
    inputs = (In("data", T), In("axes", INTEGER, "the axes that share one mean and variance", rank=1))
    outputs = (Out("output", T),)

    normalize_variance: bool = attr(doc="whether to divide by the standard deviation", openvino=False)
    eps: float = attr(doc="added to the variance, or to its root", ge=0, openvino=0.0)
    eps_mode: Literal["inside_sqrt", "outside_sqrt"] = attr(doc="place where eps is added", openvino="inside_sqrt")

    def infer(self, data: Fact, axes: Fact) -> Shape:
        check_axes(data, axes)
        return data.shape

    def run(self, data: Array, axes: Array) -> Array:
        eps = self.eps if self.normalize_variance else None
        over = reduced_axes(axes, data.ndim)
        return in_floats(mean_variance, data, over, eps, self.eps_mode == "outside_sqrt")
