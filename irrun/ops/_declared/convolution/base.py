"""Attributes and shape rule of convolutions."""

from __future__ import annotations

from typing import ClassVar, Final

import numpy as np

from irrun.ops import Array, Dim, Fact, Legacy, Op, OpError, Shape, attr
from irrun.ops._declared.convolution.spatial import AutoPad, Windows, per_axis
from irrun.ops.shapes import known_dims, merge_dims

IN_IR_7: Final = Legacy("group", "input", "kernel", "output", since="2019 R2", until="2019 R3")
"""Attributes of IR v7 that follow from the shape of the kernel."""


NO_PADDING: Final = "omits elements of the kernel that meet padding, which if infinite or NaN would make NaN"


class Convolving(Op):
    """The attributes of operations that slide a kernel."""

    legacy: ClassVar[tuple[Legacy, ...]] = (Legacy("output_padding", since="2020.1", until="2021.2"), IN_IR_7)
    factors = (0, 1)

    strides: tuple[int, ...] = attr(doc="distance between two windows on each spatial axis", ge=1, openvino=())
    pads_begin: tuple[int, ...] = attr(doc="elements to add before each spatial axis", openvino=())
    pads_end: tuple[int, ...] = attr(doc="elements to add after each spatial axis", openvino=())
    dilations: tuple[int, ...] = attr(doc="distance between two elements of the kernel", ge=1, openvino=())
    auto_pad: AutoPad = attr("explicit", doc="kind of padding; pads_begin and pads_end are used only for explicit")

    def windows(self, axes: int) -> Windows:
        """Return the attributes for this number of spatial axes; OpError where one has another length."""
        return Windows(
            strides=per_axis(self.strides, axes, 1, "strides"),
            dilations=per_axis(self.dilations, axes, 1, "dilations"),
            begins=per_axis(self.pads_begin, axes, 0, "pads_begin"),
            ends=per_axis(self.pads_end, axes, 0, "pads_end"),
            auto_pad=self.auto_pad,
        )

    def spatial_axes(self, data: Shape, kernel: Shape, leading: int) -> int | None:
        """Return the number of spatial axes, after ``leading`` others of the kernel; None where it is unknown.

        OpError where data and kernel disagree.
        """
        if data.rank is not None and kernel.rank is not None and data.rank - 2 != kernel.rank - leading:
            wanted = data.rank - 2 + leading
            raise OpError(f"the kernel has rank {kernel.rank}, expected {wanted} for data of rank {data.rank}", input=1)
        if data.rank is not None:
            return data.rank - 2
        if kernel.rank is not None:
            return kernel.rank - leading
        given = (self.strides, self.dilations, self.pads_begin, self.pads_end)
        return next((len(values) for values in given if values), None)


def match_channels(data: Dim, kernel: Dim) -> None:
    """Raise OpError where data and kernel differ in channels."""
    merge_dims(data, kernel, "channels of data and kernel", input=1)


def all_filters(channels: Dim, kernel: Fact, depth: Dim, filters: Dim, *, grouped: bool) -> Dim:
    """Return the filters of all groups, of ``depth`` channels each; OpError where data have other ``channels``."""
    if kernel.shape.dims is None:
        return filters
    groups = kernel.shape[0] if grouped else Dim.exactly(1)
    match_channels(channels, groups * depth)
    if channels.is_static and depth.is_static and depth.lo > 0 and channels.lo % depth.lo == 0:
        groups = groups.merge(channels // depth) or groups
    return groups * filters


def forward_shape(op: Convolving, data: Fact, kernel: Fact, *, grouped: bool) -> Shape:
    """Return the output shape of a convolution; a grouped kernel is [G, O, I, *K], any other [O, I, *K]."""
    leading = 3 if grouped else 2
    axes = op.spatial_axes(data.shape, kernel.shape, leading)
    if axes is None:
        return Shape.unknown()
    windows = op.windows(axes)
    batch, channels, *sizes = known_dims(data.shape, axes + 2)
    filters, depth, *taps = known_dims(kernel.shape, axes + leading)[leading - 2 :]
    filters = all_filters(channels, kernel, depth, filters, grouped=grouped)
    return Shape([batch, filters, *windows.counts(sizes, taps)])


def in_wide_integers(array: Array) -> Array:
    """Convert 8- and 16-bit integers to float64, where sums of products are exact; return others unchanged."""
    return array.astype(np.float64) if array.dtype.kind in "iu" and array.dtype.itemsize < 4 else array


def saturated(result: Array, like: Array) -> Array:
    """Convert a result to the dtype of the data, clipped to its range."""
    if result.dtype == like.dtype:
        return result
    bounds = np.iinfo(like.dtype)
    return np.clip(result, bounds.min, bounds.max).astype(like.dtype)
