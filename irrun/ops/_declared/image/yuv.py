"""Base classes of conversions between RGB and YUV. Images are [N, H, W, C]."""

from __future__ import annotations

import numpy as np

from irrun.diagnostics import amount
from irrun.kernels.color import rgb_to_yuv, yuv_to_rgb
from irrun.ops import Array, Dim, Fact, In, Op, OpError, Out, Shape, TypeVar, attr
from irrun.ops.shapes import exact_quotient, known_dims, merge_dims
from irrun.tensor.element_type import FLOAT, U8

T = TypeVar("T", FLOAT | {U8})


class FromNV12(Op):
    """A conversion from NV12, with U and V interleaved, in one plane with Y or in two."""

    departures = {"nan": "returns 0 for NaN"}
    inputs = (
        In("y", T, "[N, H, W, 1], or the single plane [N, H * 3 / 2, W, 1]", rank=4),
        In("uv", T, "[N, H / 2, W / 2, 2]", optional=True, rank=4),
    )
    outputs = (Out("output", T, "[N, H, W, 3]"),)

    def infer(self, y: Fact, uv: Fact | None) -> Shape:
        return single_plane_shape(y.shape) if uv is None else planes_shape(y.shape, [(uv.shape, 2)])

    def rgb(self, y: Array, uv: Array | None) -> Array:
        """Convert the planes to RGB."""
        if uv is None:
            height = y.shape[1] * 2 // 3
            uv = y[:, height:].reshape(y.shape[0], height // 2, y.shape[2] // 2, 2)
            y = y[:, :height]
        return yuv_to_rgb(y[..., 0], uv[..., 0], uv[..., 1])


class FromI420(Op):
    """A conversion from I420, with separate Y, U and V, in one plane or in three."""

    departures = {"nan": "returns 0 for NaN"}
    inputs = (
        In("y", T, "[N, H, W, 1], or the single plane [N, H * 3 / 2, W, 1]", rank=4),
        In("u", T, "[N, H / 2, W / 2, 1]", optional=True, rank=4),
        In("v", T, "[N, H / 2, W / 2, 1]", optional=True, rank=4),
    )
    outputs = (Out("output", T, "[N, H, W, 3]"),)

    def infer(self, y: Fact, u: Fact | None, v: Fact | None) -> Shape:
        if u is None and v is None:
            return single_plane_shape(y.shape)
        if u is None or v is None:
            raise OpError(f"{self.type} has 2 inputs, expected 1 plane or 3")
        return planes_shape(y.shape, [(u.shape, 1), (v.shape, 1)])

    def rgb(self, y: Array, u: Array | None, v: Array | None) -> Array:
        """Convert the planes to RGB."""
        if u is not None and v is not None:
            return yuv_to_rgb(y[..., 0], u[..., 0], v[..., 0])
        batch, rows, width, _ = y.shape
        height = rows * 2 // 3
        chroma = y[:, height:].reshape(batch, 2, height // 2, width // 2)
        return yuv_to_rgb(y[:, :height, :, 0], chroma[:, 0], chroma[:, 1])


class ToNV12(Op):
    """A conversion to NV12, with Y and interleaved U and V in two planes or in one."""

    inputs = (In("data", T, "[N, H, W, 3]", rank=4),)
    outputs = (Out("planes", T, "the single plane [N, H * 3 / 2, W, 1], or Y and UV", variadic=True),)

    single_plane: bool = attr(True, doc="whether Y and UV are one tensor")

    def infer(self, data: Fact) -> Shape | tuple[Shape, Shape]:
        batch, height, width, channels = known_dims(data.shape, 4)
        if not channels.admits(3):
            raise OpError(f"the image has {amount(channels, 'channel')}, expected 3", input=0)
        for name, size in (("height", height), ("width", width)):
            if size.is_static and size.lo % 2:
                raise OpError(f"the {name} of the image is {size}, expected an even number", input=0)
        if self.single_plane:
            return Shape([batch, exact_quotient(height, 2) * 3, width, 1])
        return Shape([batch, height, width, 1]), Shape([batch, exact_quotient(height, 2), exact_quotient(width, 2), 2])

    def planes(self, rgb: Array) -> Array | tuple[Array, Array]:
        """Convert an RGB image to planes."""
        y, uv = rgb_to_yuv(rgb)
        if not self.single_plane:
            return y, uv
        return np.concatenate([y, uv.reshape(y.shape[0], y.shape[1] // 2, y.shape[2], 1)], axis=1)


def single_plane_shape(plane: Shape) -> Shape:
    """Return the shape of the image whose planes are all in one tensor."""
    batch, rows, width, channels = known_dims(plane, 4)
    if not channels.admits(1):
        raise OpError(f"the plane has {amount(channels, 'channel')}, expected 1", input=0)
    if rows.is_static and rows.lo % 3:
        raise OpError(f"the height of the plane is {rows}, expected a multiple of 3", input=0)
    if width.is_static and width.lo % 2:
        raise OpError(f"the width of the plane is {width}, expected an even number", input=0)
    return Shape([batch, exact_quotient(rows, 3) * 2, width, 3])


def planes_shape(y: Shape, chroma: list[tuple[Shape, int]]) -> Shape:
    """Return the shape of the image whose luma and chroma are separate tensors, with the number of channels of each."""
    batch, height, width, channels = known_dims(y, 4)
    if not channels.admits(1):
        raise OpError(f"the Y plane has {amount(channels, 'channel')}, expected 1", input=0)
    for index, (shape, count) in enumerate(chroma, start=1):
        part_batch, part_height, part_width, part_channels = known_dims(shape, 4)
        if not part_channels.admits(count):
            raise OpError(f"the chroma plane has {amount(part_channels, 'channel')}, expected {count}", input=index)
        batch = merge_dims(batch, part_batch, "batch of the planes", input=index)
        height = _twice(height, part_height, "height", index)
        width = _twice(width, part_width, "width", index)
    return Shape([batch, height, width, 3])


def _twice(whole: Dim, part: Dim, name: str, index: int) -> Dim:
    return merge_dims(whole, part * 2, f"{name} of the Y plane and twice that of the chroma plane", input=index)
