"""Windows over channels-last images, as arguments of kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from irrun.ops.convolution.spatial import Windows as Spatial
from irrun.runtime.lowering.builder import Builder
from irrun.runtime.lowering.copies import copied
from irrun.runtime.view import Operand, View
from irrun.tensor import Array
from irrun_kernels.pixels import Geometry, Images

AXES: Final = ("{}_depth", "{}_height", "{}_width")


def channels_last(builder: Builder, x: Operand) -> View | None:
    """[N, C, *S] whose channels are neighbours: itself or a copy."""
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


def as_volumes(x: Any) -> Any:
    """[N, C, *S] with three spatial axes."""
    return x[(slice(None), slice(None), *(None,) * (5 - x.ndim))]


def as_pixels(rows: Any) -> Any:
    """Rows [M, C] as an image of one row."""
    return rows.T[None, :, None]


def placed(windows: Spatial, kernel: Sequence[int], x: Operand) -> tuple[Geometry, list[int]] | None:
    """The geometry of windows over up to three axes, and their numbers along each of at least two.

    None where images are cropped, or have no windows.
    """
    begins, ends, counts = windows.place(x.shape[2:], kernel)
    if any(pad < 0 for pad in (*begins, *ends)) or 0 in counts:
        return None
    one, none = (1,) * (3 - len(kernel)), (0,) * (3 - len(kernel))
    steps = (*one, *kernel, *one, *windows.strides, *one, *windows.dilations, *none, *begins)
    return Geometry(*steps), [*one[1:], *counts]


def without_padding(geometry: Geometry, weights: Array, x: Operand, counts: Sequence[int]) -> tuple[Geometry, Array]:
    """The windows and the weights [G, O, I, *K] without the first and the last taps that meet nothing but padding."""
    keys = []
    for axis, taps in enumerate(weights.shape[3:], start=3 - (weights.ndim - 3)):
        stride, dilation, begin = geometry[3 + axis], geometry[6 + axis], geometry[9 + axis]
        size, last = x.shape[axis - 3], (counts[axis - 3] - 1) * stride
        first, stop = 0, taps
        if isinstance(size, int):
            while stop > 1 and (stop - 1) * dilation - begin >= size:
                stop -= 1
            while first < stop - 1 and first * dilation - begin + last < 0 and (first + 1) * dilation <= begin:
                first += 1
        keys.append(slice(first, stop))
        steps = {AXES[axis].format("kernel"): stop - first, AXES[axis].format("begin"): begin - first * dilation}
        geometry = geometry._replace(**steps)
    return geometry, weights[(slice(None),) * 3 + tuple(keys)]


def over(geometry: Geometry, x: Operand, out: Operand) -> Geometry:
    """The geometry of windows over images ``x``, with results ``out``."""
    planes, rows, columns = (1, *out.shape[2:])[-3:]
    depth, height, width = (1, *x.shape[2:])[-3:]
    return geometry._replace(
        images=out.shape[0], planes=planes, rows=rows, columns=columns, depth=depth, height=height, width=width
    )


def images_of(builder: Builder, x: Operand | None) -> Images:
    """The address of images, and the strides of images, planes, rows and pixels."""
    return Images() if x is None else Images(builder.address(x), x.strides[0], *(0, *x.strides[2:])[-3:])
