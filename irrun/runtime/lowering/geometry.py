"""Windows over channels-last images, as arguments of kernels."""

from __future__ import annotations

from typing import NamedTuple

from irrun.ops.convolution.spatial import Placement
from irrun.ops.convolution.spatial import Windows as Spatial
from irrun.runtime.lowering.builder import Builder
from irrun.runtime.lowering.copies import copied
from irrun.tensor import Array


def channels_last(builder: Builder, x: Array) -> Array | None:
    """[N, C, H, W] whose channels are neighbours: itself or a copy."""
    if x.strides[1] == x.itemsize or x.shape[1] == 1:
        return x
    out = builder.images(x.shape, x.dtype)
    return out if copied(builder, x, out) else None


def as_images(x: Array) -> Array:
    """[N, C, W] as [N, C, 1, W]."""
    return x[:, :, None] if x.ndim == 3 else x


class Geometry(NamedTuple):
    """The geometry of windows over images."""

    kernel_height: int
    kernel_width: int
    stride_height: int
    stride_width: int
    dilation_height: int
    dilation_width: int
    begin_height: int
    begin_width: int


def geometry_of(kernel: tuple[int, ...], windows: Spatial, placed: Placement) -> Geometry:
    """The geometry of windows over one axis or two."""
    one = (1,) * (2 - len(kernel))
    none = (0,) * (2 - len(kernel))
    return Geometry(*(*one, *kernel), *(*one, *windows.strides), *(*one, *windows.dilations), *(*none, *placed.begins))


def image_strides(name: str, x: Array | None) -> dict[str, int]:
    """Strides of images, rows and pixels."""
    values = (0, 0, 0) if x is None else (x.strides[0], x.strides[2], x.strides[3])
    return dict(zip((f"{name}_image", f"{name}_row", f"{name}_pixel"), values, strict=True))
