from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal

import numpy as np

from irrun.diagnostics import amount
from irrun.kernels import interpolate as kernels
from irrun.kernels.interpolate import Resampling
from irrun.kernels.windows import pad
from irrun.ops import Array, Dim, Fact, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.image.resizing import (
    check_distinct,
    check_finite,
    padded_sizes,
    resized,
    scaled,
    scaled_down,
    to_rank,
)
from irrun.ops.departures import Departure, Layer
from irrun.ops.refuting import Refutation, unless_few_differ
from irrun.ops.shapes import axes_of, normalize_axis
from irrun.tensor.element_type import FLOAT, INTEGER, NUMERIC

T = TypeVar("T", NUMERIC)
Coordinates = Literal["half_pixel", "pytorch_half_pixel", "asymmetric", "tf_half_pixel_for_nn", "align_corners"]
Nearest = Literal["round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "simple"]
Calculation = Literal["sizes", "scales"]


def _misused(op: Interpolation | InterpolateV1, layer: Layer) -> str | None:
    rank = layer.inputs[0].shape.rank
    if not op.antialias or op.mode != "linear" or rank is None:
        return None
    if rank >= 5:
        return "applies antialias of an Interpolate of mode linear even where no axis shrinks"
    return None if isinstance(op, InterpolateV1) else "ignores antialias where an Interpolate of mode linear shrinks"


_ANTIALIAS: Final = Departure(
    "ignores antialias of mode linear up to rank 4, and applies it from rank 5 on even where no axis shrinks", _misused
)


@op("Interpolate", opset=1)
class InterpolateV1(Op):
    """Resize a tensor along some axes by interpolation.

    Note: linear is the linear_onnx of Interpolate-4, or its linear for tensors of rank 5 and more; nearest rounds up
    where the axis shrinks, otherwise down. Coordinates are those of align_corners, otherwise asymmetric; but half_pixel
    for linear without padding, unless the axes are 2 and 3 of a 4D tensor. Area is the mean of the covered elements.
    cubic is that of Interpolate-4 with its default coefficient. As in OpenVINO, sizes belong to the axes in ascending
    order. Of pads, one number belongs to each of axes, as many as axes has belong to these in ascending order, and
    other lists to the first axes.
    """

    departures = {
        "antialias": _ANTIALIAS,
        "area": "does not support area",
        "infinite": "omits infinite and NaN elements of weight 0",
        "pads": "pads the first axes where a list of pads is shorter than the rank",
    }
    workarounds = {"area": "AdaptiveAvgPool in its place", "pads": "pads for all axes"}

    workspace = 8
    inputs = (
        In("data", T),
        In("target_spatial_shape", INTEGER, "the sizes of axes in the result", rank=1),
    )
    outputs = (Out("output", T),)

    axes: tuple[int, ...] = attr(doc="the axes to resize", ge=0, openvino=())
    mode: Literal["nearest", "linear", "linear_onnx", "cubic", "area"] = attr(doc="kind of interpolation")
    align_corners: bool = attr(True, doc="whether the border elements coincide with those of the original")
    antialias: bool = attr(False, doc="whether to antialias when shrinking (for linear)")
    pads_begin: tuple[int, ...] = attr((0,), doc="zeros to add before each axis first", ge=0)
    pads_end: tuple[int, ...] = attr((0,), doc="zeros to add after each axis first", ge=0)

    def verify(self) -> None:
        check_distinct(self.axes)

    def infer(self, data: Fact, target_spatial_shape: Fact) -> Shape:
        sizes = target_spatial_shape.dims()
        if sizes is not None and len(sizes) != len(self.axes):
            count = len(sizes)
            raise OpError(
                f"target_spatial_shape has {amount(count, 'element')}, expected {len(self.axes)} as axes has", input=1
            )
        if data.shape.dims is None:
            return Shape.unknown()
        for axis in self.axes:
            normalize_axis(axis, len(data.shape), attribute="axes")
        padded = padded_sizes(data.shape.dims, *self.pads(len(data.shape)))
        return resized(padded, sorted(self.axes), sizes or [Dim()] * len(self.axes))

    def pads(self, rank: int) -> tuple[list[int], list[int]]:
        """Return the padding before and after each axis."""
        return self._spatial(self.pads_begin, rank), self._spatial(self.pads_end, rank)

    def _spatial(self, pads: tuple[int, ...], rank: int) -> list[int]:
        if len(pads) not in (1, len(self.axes)) or len(pads) >= rank:
            return to_rank(pads, rank)
        by_axis = dict(zip(sorted(self.axes), pads * len(self.axes) if len(pads) == 1 else pads, strict=True))
        return [by_axis.get(axis, 0) for axis in range(rank)]

    def resampling(self, shape: Sequence[int], target_spatial_shape: Array) -> tuple[list[kernels.Axis], Resampling]:
        """Return the axes of padded data to resample, and how."""
        axes = _by_sizes(shape, sorted(self.axes), target_spatial_shape.tolist())
        coordinates = self._coordinates(len(shape))
        match self.mode:
            case "nearest":
                return axes, kernels.nearest(coordinates, "simple")
            case "cubic":
                return axes, kernels.cubic(coordinates, -0.75)
            case "area":
                return axes, kernels.area()
        if self.mode == "linear" and len(shape) >= 5:
            return axes, kernels.linear(axes, coordinates, self.antialias)
        return axes, kernels.linear_onnx(coordinates)

    def run(self, data: Array, target_spatial_shape: Array) -> Array:
        return _run(self, data, target_spatial_shape)

    def _coordinates(self, rank: int) -> Coordinates:
        if self.align_corners:
            return "align_corners"
        planar = rank == 4 and sorted(self.axes) == [2, 3]
        padded = any((*self.pads_begin, *self.pads_end))
        linear = self.mode in ("linear", "linear_onnx")
        return "half_pixel" if linear and not padded and not planar else "asymmetric"


@op("Interpolate", opset=4)
class InterpolateV4(Op):
    """Resize a tensor along some axes by interpolation, to given sizes or by given scales.

    Note: results of integers are rounded to nearest, ties to even. Places on the original axis are computed in f32, as
    in OpenVINO: a place that is halfway between elements in exact numbers may be below or above it there, so that
    nearest picks the other element, as for element 4 of 20 resized to 6 with round_prefer_ceil.
    """

    departures = {
        "antialias": _ANTIALIAS,
        "kept axis": "does not resample an axis that keeps its size, even where its scale is not 1",
        "negative axis": "refuses negative axes",
        "infinite": "omits infinite and NaN elements of weight 0",
    }
    workarounds = {"negative axis": "count axes from 0"}

    workspace = 8
    inputs = (
        In("data", T),
        In("sizes", INTEGER, "the sizes of axes in the result, for sizes", rank=1),
        In("scales", FLOAT, "the factors for axes, for scales", rank=1),
        In("axes", INTEGER, "the axes to resize; absent means all", optional=True, rank=1),
    )
    outputs = (Out("output", T),)

    mode: Literal["nearest", "linear", "linear_onnx", "cubic"] = attr(doc="kind of interpolation", openvino="nearest")
    shape_calculation_mode: Calculation = attr(doc="input that determines the size of the result", openvino="sizes")
    coordinate_transformation_mode: Coordinates = attr("half_pixel", doc="mapping of coordinates to the original")
    nearest_mode: Nearest = attr("round_prefer_floor", doc="rounding to the nearest element")
    antialias: bool = attr(False, doc="whether to antialias when shrinking (for linear)")
    pads_begin: tuple[int, ...] = attr((0,), doc="zeros to add before each axis first", ge=0)
    pads_end: tuple[int, ...] = attr((0,), doc="zeros to add after each axis first", ge=0)
    cube_coeff: float = attr(-0.75, doc="the parameter a of cubic")

    def infer(self, data: Fact, sizes: Fact, scales: Fact, axes: Fact | None) -> Shape:
        by = scales if self.shape_calculation_mode == "scales" else sizes
        return _infer(self, data, by, axes, 2 if by is scales else 1, 3)

    def refute(
        self, declared: Sequence[Shape], data: Fact, sizes: Fact, scales: Fact, axes: Fact | None
    ) -> Iterator[Refutation]:
        return _refuted(self, declared[0], data, axes)

    def resampling(
        self, shape: Sequence[int], sizes: Array, scales: Array, axes: Array | None = None
    ) -> tuple[list[kernels.Axis], Resampling]:
        """Return the axes of padded data to resample, and how."""
        return _resampling(self, shape, scales if self.shape_calculation_mode == "scales" else sizes, axes)

    def run(self, data: Array, sizes: Array, scales: Array, axes: Array | None) -> Array:
        return _run(self, data, sizes, scales, axes)


@op("Interpolate", opset=11)
class InterpolateV11(Op):
    """Resize a tensor along some axes by interpolation, to given sizes or by given scales; optionally as Pillow does.

    Note: results of integers are rounded to nearest, ties to even. Places on the original axis are computed in f32, as
    in OpenVINO: a place that is halfway between elements in exact numbers may be below or above it there, so that
    nearest picks the other element, as for element 4 of 20 resized to 6 with round_prefer_ceil.
    """

    departures = {
        "antialias": _ANTIALIAS,
        "cube_coeff": "uses -0.5 as cube_coeff of bicubic_pillow, whatever its value",
        "kept axis": "does not resample an axis that keeps its size, even where its scale is not 1",
        "negative axis": "refuses negative axes",
        "pillow": "truncates integers in the modes of Pillow",
        "infinite": "omits infinite and NaN elements of weight 0",
    }
    workarounds = {"negative axis": "count axes from 0"}

    workspace = 8
    inputs = (
        In("image", T),
        In("scales_or_sizes", FLOAT | INTEGER, "the factors for axes, or their sizes in the result", rank=1),
        In("axes", INTEGER, "the axes to resize; absent means all", optional=True, rank=1),
    )
    outputs = (Out("output", T),)

    mode: Literal["nearest", "linear", "linear_onnx", "cubic", "bilinear_pillow", "bicubic_pillow"] = attr(
        doc="kind of interpolation", openvino="nearest"
    )
    shape_calculation_mode: Calculation = attr(doc="content of scales_or_sizes", openvino="sizes")
    coordinate_transformation_mode: Coordinates = attr("half_pixel", doc="mapping of coordinates to the original")
    nearest_mode: Nearest = attr("round_prefer_floor", doc="rounding to the nearest element")
    antialias: bool = attr(False, doc="whether to antialias when shrinking (for linear)")
    pads_begin: tuple[int, ...] = attr((0,), doc="zeros to add before each axis first", ge=0)
    pads_end: tuple[int, ...] = attr((0,), doc="zeros to add after each axis first", ge=0)
    cube_coeff: float = attr(-0.75, doc="the parameter a of cubic and bicubic_pillow")

    def infer(self, image: Fact, scales_or_sizes: Fact, axes: Fact | None) -> Shape:
        known = scales_or_sizes.type
        if known.is_known and known.is_float != (self.shape_calculation_mode == "scales"):
            mode = self.shape_calculation_mode
            wanted = "floats" if mode == "scales" else "integers"
            raise OpError(f"scales_or_sizes is {known}, expected {wanted} for shape_calculation_mode {mode}", input=1)
        return _infer(self, image, scales_or_sizes, axes, 1, 2)

    def refute(
        self, declared: Sequence[Shape], image: Fact, scales_or_sizes: Fact, axes: Fact | None
    ) -> Iterator[Refutation]:
        return _refuted(self, declared[0], image, axes)

    def resampling(
        self, shape: Sequence[int], scales_or_sizes: Array, axes: Array | None = None
    ) -> tuple[list[kernels.Axis], Resampling]:
        """Return the axes of padded data to resample, and how."""
        return _resampling(self, shape, scales_or_sizes, axes)

    def run(self, image: Array, scales_or_sizes: Array, axes: Array | None) -> Array:
        return _run(self, image, scales_or_sizes, axes)


Interpolation = InterpolateV4 | InterpolateV11


def _infer(op: Interpolation, data: Fact, by: Fact, axes: Fact | None, by_index: int, axes_index: int) -> Shape:
    if data.shape.dims is None:
        return Shape.unknown()
    rank = len(data.shape)
    known = tuple(range(rank)) if axes is None else axes_of(axes, rank, input=axes_index)
    if known is None:
        return Shape.unknown(rank)
    check_distinct(known)
    if op.mode.endswith("_pillow") and len(known) != 2:
        raise OpError(f"{op.mode} resizes 2 axes, got {len(known)}", attribute="mode")
    count = by.shape[0] if by.shape.dims is not None else Dim()
    if count.hi < len(known):
        name = op.inputs[by_index].name
        raise OpError(
            f"{name} has {amount(count, 'element')}, expected {len(known)}, one for each axis", input=by_index
        )
    padded = padded_sizes(data.shape.dims, *pads(op, len(data.shape)))
    return resized(padded, known, _sizes(op, by, [padded[axis] for axis in known]))


def _refuted(op: Interpolation, declared: Shape, data: Fact, axes: Fact | None) -> Iterator[Refutation]:
    """Refute a result in which more axes differ from padded data than are resized."""
    count = Dim() if axes is None else axes.shape.size
    if data.shape.dims is None or axes is None or axes.ints() is not None or count.hi > len(data.shape):
        return
    padded = padded_sizes(data.shape.dims, *pads(op, len(data.shape)))
    what = f"more than {amount(count.hi, 'axis', 'axes')} of {Shape(padded)} differ"
    yield from unless_few_differ(declared, padded, count.hi, what)


def _sizes(op: Interpolation, by: Fact, dims: Sequence[Dim]) -> Sequence[Dim]:
    """Return the sizes of the resized axes as far as they are known."""
    if op.shape_calculation_mode == "sizes":
        return (by.dims() or (Dim(),) * len(dims))[: len(dims)]
    if by.constant is None:
        return (Dim(),) * len(dims)
    check_finite(by.constant)
    return [scaled(dim, scale) for dim, scale in zip(dims, by.constant.reshape(-1), strict=False)]


def pads(op: Interpolation | InterpolateV1, rank: int) -> tuple[list[int], list[int]]:
    """Return the padding before and after each axis."""
    if isinstance(op, InterpolateV1):
        return op.pads(rank)
    return to_rank(op.pads_begin, rank), to_rank(op.pads_end, rank)


def _by_sizes(shape: Sequence[int], axes: Sequence[int], sizes: Sequence[int]) -> list[kernels.Axis]:
    found = []
    for axis, target in zip(axes, map(int, sizes), strict=False):
        size = int(shape[axis])
        found.append(kernels.Axis(axis, size, target, float(np.float32(target) / np.float32(max(size, 1)))))
    return found


def _empty(data: Array, axes: Sequence[kernels.Axis]) -> Array:
    """Return the result without elements."""
    targets = {of.axis: of.target for of in axes}
    return np.zeros([targets.get(axis, size) for axis, size in enumerate(data.shape)], data.dtype)


def _resampling(
    op: Interpolation, shape: Sequence[int], by: Array, axes: Array | None
) -> tuple[list[kernels.Axis], Resampling]:
    known = range(len(shape)) if axes is None else [normalize_axis(int(axis), len(shape)) for axis in axes]
    if op.shape_calculation_mode == "sizes":
        along = _by_sizes(shape, known, by.tolist())
    else:
        check_finite(by)
        along = [
            kernels.Axis(axis, size, scaled_down(size, scale), float(scale))
            for axis, size, scale in zip(known, (int(shape[axis]) for axis in known), by.tolist(), strict=False)
        ]
    coordinates = op.coordinate_transformation_mode
    match op.mode:
        case "nearest":
            return along, kernels.nearest(coordinates, op.nearest_mode)
        case "linear":
            return along, kernels.linear(along, coordinates, op.antialias)
        case "linear_onnx":
            return along, kernels.linear_onnx(coordinates)
        case "cubic":
            return along, kernels.cubic(coordinates, op.cube_coeff)
    return along, kernels.pillow(op.mode, op.cube_coeff)


def _run(op: Any, data: Array, *others: Array | None) -> Array:
    data = pad(data, *pads(op, data.ndim))
    axes, how = op.resampling(data.shape, *others)
    if data.size == 0 or any(of.target == 0 for of in axes):
        return _empty(data, axes)
    return kernels.resample(data, axes, how)
