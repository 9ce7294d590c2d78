from __future__ import annotations

from typing import Literal

import numpy as np

from irrun.kernels.pooling import axis_windows, max_pool
from irrun.ops import Array, Fact, In, Legacy, Op, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.convolution.spatial import AutoPad, Rounding, Windows
from irrun.ops._declared.pooling.base import check_lengths, pooled_shape, pooling_windows
from irrun.ops.declaration import FLAGS
from irrun.ops.departures import STATIC, WITH_DILATIONS
from irrun.ops.shapes import normalize_axis
from irrun.tensor.element_type import NUMERIC

T = TypeVar("T", NUMERIC, also=FLAGS)


@op("MaxPool", opset=1)
class MaxPoolV1(Op):
    """The maximum of each window, from the third axis on.

    Note: NaN is ignored. A window entirely in padding yields -inf, or the lowest integer.
    """

    departures = {"infinite": "returns the lowest finite number for a window of -inf, of NaN, or of padding as a whole"}

    inputs = (In("data", T, "[N, C, Z, Y, X]", rank=(3, 4, 5)),)
    outputs = (Out("output", T),)
    legacy = (Legacy("axis", "dilations", "index_element_type", since="2022.1"),)

    strides: tuple[int, ...] = attr(doc="distance between two windows on each spatial axis", ge=1)
    pads_begin: tuple[int, ...] = attr(doc="elements to add before each spatial axis", ge=0, openvino=())
    pads_end: tuple[int, ...] = attr(doc="elements to add after each spatial axis", ge=0, openvino=())
    kernel: tuple[int, ...] = attr(doc="size of the window on each spatial axis", ge=1)
    rounding_type: Literal["floor", "ceil"] = attr("floor", doc="rounding of the number of windows")
    auto_pad: AutoPad = attr("explicit", doc="kind of padding; pads_begin and pads_end are used only for explicit")

    def verify(self) -> None:
        lists = {"strides": self.strides, "pads_begin": self.pads_begin, "pads_end": self.pads_end}
        check_lengths(self.kernel, lists)

    def windows(self) -> Windows:
        """Return the geometry of the windows."""
        return pooling_windows(
            self.kernel, self.strides, (), self.pads_begin, self.pads_end, self.auto_pad, self.rounding_type
        )

    def infer(self, data: Fact) -> Shape:
        return pooled_shape(data.shape, self.kernel, self.windows())

    def run(self, data: Array) -> Array:
        return max_pool(data, axis_windows(self.windows().geometry(data.shape[2:], self.kernel)))


@op("MaxPool", opset=8)
class MaxPoolV8(Op):
    """The maximum of each window and its index, from the third axis on.

    Note: NaN is ignored; of equal elements the first is selected.
    """

    departures = {
        "dilations": "returns arbitrary values where dilations are absent",
        "dynamic sizes": "adds no padding before data of dynamic sizes with auto_pad same_upper and same_lower",
        "infinite": "returns the lowest finite number for a window of -inf, of NaN, or of padding as a whole",
    }
    workarounds = {"dilations": WITH_DILATIONS, "dynamic sizes": STATIC}

    inputs = (In("data", T, "[N, C, Z, Y, X]", rank=(3, 4, 5)),)
    outputs = (Out("output", T), Out("indices", "index_element_type"))

    strides: tuple[int, ...] = attr(doc="distance between two windows on each spatial axis", ge=1)
    dilations: tuple[int, ...] = attr((), doc="distance between two elements of a window; 1 where empty", ge=1)
    pads_begin: tuple[int, ...] = attr(doc="elements to add before each spatial axis", ge=0, openvino=())
    pads_end: tuple[int, ...] = attr(doc="elements to add after each spatial axis", ge=0, openvino=())
    kernel: tuple[int, ...] = attr(doc="size of the window on each spatial axis", ge=1)
    rounding_type: Literal["floor", "ceil"] = attr("floor", doc="rounding of the number of windows")
    auto_pad: AutoPad = attr("explicit", doc="kind of padding; pads_begin and pads_end are used only for explicit")
    index_element_type: Literal["i64", "i32"] = attr("i64", doc="type of the indices")
    axis: int = attr(0, doc="indices count the elements of the axes from this one on")

    def verify(self) -> None:
        _check(self)

    def infer(self, data: Fact) -> tuple[Shape, Shape]:
        return _infer(self, data)

    def run(self, data: Array) -> tuple[Array, Array]:
        return _run(self, data)


@op("MaxPool", opset=14)
class MaxPoolV14(Op):
    """The maximum of each window and its index, from the third axis on, with PyTorch's rounding.

    Note: NaN is ignored; of equal elements the first is selected.
    """

    departures = {
        "dilations": "returns arbitrary values where dilations are absent",
        "dynamic sizes": "adds no padding before data of dynamic sizes with auto_pad same_upper and same_lower",
        "infinite": "returns the lowest finite number for a window of -inf, of NaN, or of padding as a whole",
    }
    workarounds = {"dilations": WITH_DILATIONS, "dynamic sizes": STATIC}

    inputs = (In("data", T, "[N, C, Z, Y, X]", rank=(3, 4, 5)),)
    outputs = (Out("output", T), Out("indices", "index_element_type"))

    strides: tuple[int, ...] = attr(doc="distance between two windows on each spatial axis", ge=1)
    dilations: tuple[int, ...] = attr((), doc="distance between two elements of a window; 1 where empty", ge=1)
    pads_begin: tuple[int, ...] = attr(doc="elements to add before each spatial axis", ge=0, openvino=())
    pads_end: tuple[int, ...] = attr(doc="elements to add after each spatial axis", ge=0, openvino=())
    kernel: tuple[int, ...] = attr(doc="size of the window on each spatial axis", ge=1)
    rounding_type: Rounding = attr(
        "floor", doc="rounding of the number of windows; with ceil_torch none starts in the padding at the end"
    )
    auto_pad: AutoPad = attr("explicit", doc="kind of padding; pads_begin and pads_end are used only for explicit")
    index_element_type: Literal["i64", "i32"] = attr("i64", doc="type of the indices")
    axis: int = attr(0, doc="indices count the elements of the axes from this one on")

    def verify(self) -> None:
        _check(self)

    def infer(self, data: Fact) -> tuple[Shape, Shape]:
        return _infer(self, data)

    def run(self, data: Array) -> tuple[Array, Array]:
        return _run(self, data)


Indexed = MaxPoolV8 | MaxPoolV14


def _check(op: Indexed) -> None:
    lists = {
        "strides": op.strides,
        "dilations": op.dilations,
        "pads_begin": op.pads_begin,
        "pads_end": op.pads_end,
    }
    check_lengths(op.kernel, lists)


def indexed_windows(op: Indexed) -> Windows:
    """Return the geometry of the windows."""
    return pooling_windows(
        op.kernel, op.strides, op.dilations, op.pads_begin, op.pads_end, op.auto_pad, op.rounding_type
    )


def _infer(op: Indexed, data: Fact) -> tuple[Shape, Shape]:
    if data.rank is not None:
        normalize_axis(op.axis, data.rank)
    shape = pooled_shape(data.shape, op.kernel, indexed_windows(op))
    return shape, shape


def _run(op: Indexed, data: Array) -> tuple[Array, Array]:
    from irrun.kernels.pooling import max_pool_indices, offset_indices

    geometry = indexed_windows(op).geometry(data.shape[2:], op.kernel)
    values, places = max_pool_indices(data, axis_windows(geometry))
    indices = offset_indices(places, data.shape, normalize_axis(op.axis, data.ndim))
    return values, indices.astype(np.int32 if op.index_element_type == "i32" else np.int64, copy=False)
