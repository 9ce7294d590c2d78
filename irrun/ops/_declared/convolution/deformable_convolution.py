from __future__ import annotations

from irrun.diagnostics import amount
from irrun.kernels.deformable import deformable_convolve
from irrun.ops import REFUSED, Array, Dim, Fact, In, Legacy, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.convolution.base import match_channels
from irrun.ops._declared.convolution.spatial import AutoPad, Windows, per_axis
from irrun.ops.shapes import known_dims, merge_dims
from irrun.ops.work import per_output
from irrun.tensor.element_type import NUMERIC

T = TypeVar("T", NUMERIC)


@op("DeformableConvolution", opset=1)
class DeformableConvolutionV1(Op):
    """2D convolution whose kernel elements are each shifted by an offset, with bilinear sampling.

    Note: samples outside the data are zero.
    """

    departures = {"nan": "crashes where an offset is NaN"}
    inputs = (
        In("data", T, "[N, C, Y, X]", rank=4),
        In("offsets", T, "[N, deformable_group * kernel_Y * kernel_X * 2, Y, X]", rank=4),
        In("kernel", T, "[C_OUT, C / group, Y, X]", rank=4),
    )
    outputs = (Out("output", T, "[N, C_OUT, Y, X]"),)
    legacy = (
        Legacy("output_padding", since="2020.1", until="2021.2"),
        Legacy("input", "kernel", "output", since="2019 R2", until="2019 R3"),
    )
    multiply_adds = per_output(kernel=2, skipped=1)

    strides: tuple[int, ...] = attr(doc="distance between two windows on each spatial axis", ge=1, openvino=())
    pads_begin: tuple[int, ...] = attr(doc="elements to add before each spatial axis", openvino=())
    pads_end: tuple[int, ...] = attr(doc="elements to add after each spatial axis", openvino=())
    dilations: tuple[int, ...] = attr(doc="distance between two elements of the kernel", ge=1, openvino=())
    auto_pad: AutoPad = attr("explicit", doc="kind of padding; pads_begin and pads_end are used only for explicit")
    group: int = attr(1, doc="groups of input and output channels", ge=1, openvino=REFUSED)
    deformable_group: int = attr(1, doc="groups of input channels that share offsets", ge=1, openvino=REFUSED)

    def infer(self, data: Fact, offsets: Fact, kernel: Fact) -> Shape:
        return _shape(self, data, offsets, kernel, None)

    def run(self, data: Array, offsets: Array, kernel: Array) -> Array:
        return _run(self, data, offsets, kernel, None, False)


@op("DeformableConvolution", opset=8)
class DeformableConvolutionV8(Op):
    """2D convolution whose kernel elements are each shifted by an offset and weighed by a mask."""

    departures = {"nan": "crashes where an offset is NaN"}
    inputs = (
        In("data", T, "[N, C, Y, X]", rank=4),
        In("offsets", T, "[N, deformable_group * kernel_Y * kernel_X * 2, Y, X]", rank=4),
        In("kernel", T, "[C_OUT, C / group, Y, X]", rank=4),
        In("mask", NUMERIC, "[N, deformable_group * kernel_Y * kernel_X, Y, X]", optional=True, rank=4),
    )
    outputs = (Out("output", T, "[N, C_OUT, Y, X]"),)
    multiply_adds = per_output(kernel=2, skipped=1)

    strides: tuple[int, ...] = attr(doc="distance between two windows on each spatial axis", ge=1, openvino=())
    pads_begin: tuple[int, ...] = attr(doc="elements to add before each spatial axis", openvino=())
    pads_end: tuple[int, ...] = attr(doc="elements to add after each spatial axis", openvino=())
    dilations: tuple[int, ...] = attr(doc="distance between two elements of the kernel", ge=1, openvino=())
    auto_pad: AutoPad = attr("explicit", doc="kind of padding; pads_begin and pads_end are used only for explicit")
    group: int = attr(1, doc="groups of input and output channels", ge=1, openvino=REFUSED)
    deformable_group: int = attr(1, doc="groups of input channels that share offsets", ge=1, openvino=REFUSED)
    bilinear_interpolation_pad: bool = attr(
        False, doc="whether places up to one element outside are interpolated with zeros instead of being zero"
    )

    def infer(self, data: Fact, offsets: Fact, kernel: Fact, mask: Fact | None) -> Shape:
        return _shape(self, data, offsets, kernel, mask)

    def run(self, data: Array, offsets: Array, kernel: Array, mask: Array | None) -> Array:
        return _run(self, data, offsets, kernel, mask, self.bilinear_interpolation_pad)


Deformable = DeformableConvolutionV1 | DeformableConvolutionV8


def _windows(op: Deformable) -> Windows:
    return Windows(
        strides=per_axis(op.strides, 2, 1, "strides"),
        dilations=per_axis(op.dilations, 2, 1, "dilations"),
        begins=per_axis(op.pads_begin, 2, 0, "pads_begin"),
        ends=per_axis(op.pads_end, 2, 0, "pads_end"),
        auto_pad=op.auto_pad,
    )


def _shape(op: Deformable, data: Fact, offsets: Fact, kernel: Fact, mask: Fact | None) -> Shape:
    batch, channels, *sizes = known_dims(data.shape, 4)
    filters, depth, *taps = known_dims(kernel.shape, 4)
    match_channels(channels, depth * op.group)
    for dim, what, index in ((channels, "channels of the data", 0), (filters, "channels of the output", 2)):
        if dim.is_static and dim.lo % op.group:
            raise OpError(f"{what} ({dim}) must be divisible by group ({op.group})", attribute="group", input=index)
    if channels.is_static and channels.lo % op.deformable_group:
        raise OpError(
            f"channels of the data ({channels}) must be divisible by deformable_group ({op.deformable_group})",
            attribute="deformable_group",
            input=0,
        )
    spatial = _windows(op).counts(sizes, taps)
    per_window = taps[0] * taps[1] * op.deformable_group
    for fact, factor, name, index in ((offsets, 2, "offsets", 1), (mask, 1, "mask", 3)):
        if fact is None:
            continue
        count, wanted, *places = known_dims(fact.shape, 4)
        batch = merge_dims(batch, count, f"batch of data and {name}", input=index)
        _check_channels(wanted, per_window * factor, name, index)
        spatial = [
            merge_dims(a, b, f"spatial sizes of output and {name}", input=index)
            for a, b in zip(spatial, places, strict=True)
        ]
    return Shape([batch, filters, *spatial])


def _check_channels(got: Dim, wanted: Dim, name: str, index: int) -> None:
    if not got.compatible(wanted):
        raise OpError(f"{name} has {amount(got, 'channel')}, expected {wanted}", input=index)


def _run(op: Deformable, data: Array, offsets: Array, kernel: Array, mask: Array | None, zero_border: bool) -> Array:
    geometry = _windows(op).geometry(data.shape[2:], kernel.shape[2:])
    return deformable_convolve(data, offsets, kernel, mask, geometry, op.group, op.deformable_group, zero_border)
