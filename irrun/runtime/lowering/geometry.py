"""Windows over channels-last images, as arguments of kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from irrun.ops.convolution.spatial import Windows as Spatial
from irrun.runtime.lowering.builder import Builder
from irrun.runtime.lowering.copies import copied
from irrun.runtime.view import Operand, View
from irrun_kernels.pixels import Geometry, Images


def channels_last(builder: Builder, x: Operand) -> View | None:
    """[N, C, H, W] whose channels are neighbours: itself or a copy."""
    if has_channels_last(x):
        return builder.view(x)
    out = builder.images(x.shape, x.dtype)
    return out if copied(builder, x, out) else None


def has_channels_last(x: Operand) -> bool:
    """Return whether the channels of images are neighbours."""
    return x.strides[1] == x.itemsize or x.shape[1] == 1


def as_images(x: Any) -> Any:
    """[N, C, W] as [N, C, 1, W]."""
    return x[:, :, None] if x.ndim == 3 else x


def as_pixels(rows: Any) -> Any:
    """Rows [M, C] as an image of one row."""
    return rows.T[None, :, None]


def placed(windows: Spatial, kernel: Sequence[int], x: Operand) -> tuple[Geometry, list[int]] | None:
    """The geometry of windows over one axis or two, and their numbers of rows and columns.

    None where images are cropped, or have no windows.
    """
    begins, ends, counts = windows.place(x.shape[2:], kernel)
    if any(pad < 0 for pad in (*begins, *ends)) or 0 in counts:
        return None
    one, none = (1,) * (2 - len(kernel)), (0,) * (2 - len(kernel))
    steps = (*one, *kernel, *one, *windows.strides, *one, *windows.dilations, *none, *begins)
    return Geometry(*steps), [*one, *counts]


def over(geometry: Geometry, x: Operand, out: Operand) -> Geometry:
    """The geometry of windows over images ``x``, with results ``out``."""
    (images, _, rows, columns), (height, width) = out.shape, x.shape[2:]
    return geometry._replace(images=images, rows=rows, columns=columns, height=height, width=width)


def images_of(builder: Builder, x: Operand | None) -> Images:
    """The address of images, and the strides of images, rows and pixels."""
    return Images() if x is None else Images(builder.address(x), x.strides[0], *x.strides[2:])
