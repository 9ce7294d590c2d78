from __future__ import annotations

import math
from typing import Literal

from irrun.kernels.pooling import avg_pool, axis_windows
from irrun.ops import Array, Fact, In, Op, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.convolution.spatial import AutoPad, Rounding, Windows
from irrun.ops._declared.pooling.base import check_lengths, pooled_shape, pooling_windows
from irrun.ops.departures import WITH_DILATIONS
from irrun.tensor.element_type import NUMERIC

T = TypeVar("T", NUMERIC)


@op("AvgPool", opset=1)
class AvgPoolV1(Op):
    """The mean of each window, from the third axis on.

    Note: where padding is included, a window beyond the end of the padded data is divided by the size of the whole
    kernel; without any padding, only elements of the data count. A window without counted elements is NaN. Means of
    integers are rounded to nearest, ties to even.
    """

    inputs = (In("data", T, "[N, C, Z, Y, X]", rank=(3, 4, 5)),)
    outputs = (Out("output", T),)

    strides: tuple[int, ...] = attr(doc="distance between two windows on each spatial axis", ge=1)
    pads_begin: tuple[int, ...] = attr(doc="elements to add before each spatial axis", ge=0, openvino=())
    pads_end: tuple[int, ...] = attr(doc="elements to add after each spatial axis", ge=0, openvino=())
    kernel: tuple[int, ...] = attr(doc="size of the window on each spatial axis", ge=1)
    exclude_pad: bool = attr(name="exclude-pad", doc="whether padding is excluded from the mean", openvino=True)
    rounding_type: Literal["floor", "ceil"] = attr("floor", doc="rounding of the number of windows")
    auto_pad: AutoPad = attr("explicit", doc="kind of padding; pads_begin and pads_end are used only for explicit")

    def verify(self) -> None:
        _check(self, ())

    def infer(self, data: Fact) -> Shape:
        return pooled_shape(data.shape, self.kernel, averaging_windows(self))

    def run(self, data: Array) -> Array:
        return average(self, data)


@op("AvgPool", opset=14)
class AvgPoolV14(Op):
    """The mean of each window, from the third axis on, with PyTorch's rounding.

    Note: as AvgPool-1.
    """

    inputs = (In("data", T, "[N, C, Z, Y, X]", rank=(3, 4, 5)),)
    outputs = (Out("output", T),)

    strides: tuple[int, ...] = attr(doc="distance between two windows on each spatial axis", ge=1)
    pads_begin: tuple[int, ...] = attr(doc="elements to add before each spatial axis", ge=0, openvino=())
    pads_end: tuple[int, ...] = attr(doc="elements to add after each spatial axis", ge=0, openvino=())
    kernel: tuple[int, ...] = attr(doc="size of the window on each spatial axis", ge=1)
    exclude_pad: bool = attr(name="exclude-pad", doc="whether padding is excluded from the mean", openvino=True)
    rounding_type: Rounding = attr(
        "floor", doc="rounding of the number of windows; with ceil_torch none starts in the padding at the end"
    )
    auto_pad: AutoPad = attr("explicit", doc="kind of padding; pads_begin and pads_end are used only for explicit")

    def verify(self) -> None:
        _check(self, ())

    def infer(self, data: Fact) -> Shape:
        return pooled_shape(data.shape, self.kernel, averaging_windows(self))

    def run(self, data: Array) -> Array:
        return average(self, data)


@op("AvgPool", opset=16)
class AvgPoolV16(Op):
    """The mean of each window, from the third axis on, with PyTorch's rounding and dilations.

    Note: as AvgPool-1.
    """

    departures = {"dilations": "crashes where dilations are absent"}
    workarounds = {"dilations": WITH_DILATIONS}

    inputs = (In("data", T, "[N, C, Z, Y, X]", rank=(3, 4, 5)),)
    outputs = (Out("output", T),)

    strides: tuple[int, ...] = attr(doc="distance between two windows on each spatial axis", ge=1)
    dilations: tuple[int, ...] = attr((), doc="distance between two elements of a window; 1 where empty", ge=1)
    pads_begin: tuple[int, ...] = attr(doc="elements to add before each spatial axis", ge=0, openvino=())
    pads_end: tuple[int, ...] = attr(doc="elements to add after each spatial axis", ge=0, openvino=())
    kernel: tuple[int, ...] = attr(doc="size of the window on each spatial axis", ge=1)
    exclude_pad: bool = attr(name="exclude-pad", doc="whether padding is excluded from the mean", openvino=True)
    rounding_type: Rounding = attr(
        "floor", doc="rounding of the number of windows; with ceil_torch none starts in the padding at the end"
    )
    auto_pad: AutoPad = attr("explicit", doc="kind of padding; pads_begin and pads_end are used only for explicit")

    def verify(self) -> None:
        _check(self, self.dilations)

    def infer(self, data: Fact) -> Shape:
        return pooled_shape(data.shape, self.kernel, averaging_windows(self))

    def run(self, data: Array) -> Array:
        return average(self, data)


Averaging = AvgPoolV1 | AvgPoolV14 | AvgPoolV16


def _check(op: Averaging, dilations: tuple[int, ...]) -> None:
    lists = {"strides": op.strides, "dilations": dilations, "pads_begin": op.pads_begin, "pads_end": op.pads_end}
    check_lengths(op.kernel, lists)


def averaging_windows(op: Averaging) -> Windows:
    """Return the windows of any version."""
    dilations = op.dilations if isinstance(op, AvgPoolV16) else ()
    return pooling_windows(op.kernel, op.strides, dilations, op.pads_begin, op.pads_end, op.auto_pad, op.rounding_type)


def average(op: Averaging, data: Array) -> Array:
    """Compute the result of any version."""
    windows = averaging_windows(op)
    placed, geometry = windows.place(data.shape[2:], op.kernel), windows.geometry(data.shape[2:], op.kernel)
    padded = any((*placed.begins, *placed.ends))
    least = math.prod(op.kernel) if padded and not op.exclude_pad else 0
    return avg_pool(data, axis_windows(geometry), least)
