from __future__ import annotations

from typing import Literal

from irrun.kernels.casting import in_floats
from irrun.kernels.normalization import mean_variance
from irrun.ops import Array, Fact, In, Op, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.normalization.axes import check_axes
from irrun.ops._declared.reduction.base import reduced_axes
from irrun.ops.declaration import CUT, FLAGS
from irrun.ops.departures import Departure, Layer, constant, is_empty
from irrun.ops.shapes import normalize_axis
from irrun.tensor.element_type import INTEGER, NUMERIC

T = TypeVar("T", NUMERIC)

_OF_LEVELS = "adds eps to the variance of the levels of a FakeQuantize, not to that of its results"


def _is_behind_levels(layer: Layer) -> bool:
    """Return whether the data come from a FakeQuantize one of whose levels is zero, and whose step is not 1."""
    type, facts = layer.before(0)
    low, high = (None if fact is None else fact.constant for fact in (facts[3:5] if len(facts) == 5 else (None, None)))
    if type != "FakeQuantize" or low is None or high is None or not low.size == high.size == 1:
        return False
    first, last = float(low.reshape(-1)[0]), float(high.reshape(-1)[0])
    return (first == 0 and last not in (15, 255)) or (first < 0 and 1 <= -first / last < 1.2 and last not in (7, 127))


def _is_over_places(layer: Layer) -> bool:
    """Return whether one mean is that of all places of a channel, or of all elements of a sample."""
    axes, rank = constant(layer, 1), layer.inputs[0].rank
    if axes is None or rank is None:
        return False
    over = {int(axis) % rank for axis in axes.reshape(-1)}
    return over in ({*range(1, rank)}, {*range(2, rank)})


@op("MVN", opset=2, page="mvn-1")
class MVNV2(Op):
    """Subtract the mean, and divide by the standard deviation, of each sample or of each of its channels.

    Note: the page requires one of across_channels and reduction_axes; OpenVINO writes both. Listed axes are used;
    otherwise the axes are all from the second, or from the third without across_channels.
    """

    departures = {
        "reduction_axes": "ignores reduction_axes",
        "levels": Departure(_OF_LEVELS, lambda op, layer: op.normalize_variance and _is_behind_levels(layer)),
    }
    workarounds = {"reduction_axes": "MVN of opset6"}

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
        "levels": Departure(
            _OF_LEVELS,
            lambda op, layer: op.normalize_variance and _is_over_places(layer) and _is_behind_levels(layer),
        ),
    }
    workarounds = {"no axes": "Subtract(x, x)"}

    workspace = 8
    inputs = (
        In("data", T),
        In("axes", INTEGER, "the axes that share one mean and variance", rank=1, also={**CUT, **FLAGS}),
    )
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
