"""Padding and strided views of trailing axes, for operations with sliding windows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from irrun.kernels.threads import Array, scratch


class Geometry(NamedTuple):
    """Windows over the last axes of a tensor, with one element for each axis.

    ``begins`` are the elements of padding before the tensor of ``sizes``, ``counts`` the number of windows.
    """

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    begins: tuple[int, ...]
    sizes: tuple[int, ...]
    counts: tuple[int, ...]

    @property
    def ends(self) -> list[int]:
        """The elements of padding that windows reach after the tensor; negative where they do not reach its end."""
        spans = map(extent, self.kernel, self.dilations)
        lasts = [(count - 1) * step for count, step in zip(self.counts, self.strides, strict=True)]
        axes = zip(lasts, spans, self.begins, self.sizes, strict=True)
        return [last + span - begin - size for last, span, begin, size in axes]

    def places(self, axis: int) -> Array:
        """Return the places [windows, taps] of the elements of the windows on an axis."""
        first = np.arange(self.counts[axis]) * self.strides[axis] - self.begins[axis]
        return first[:, None] + np.arange(self.kernel[axis]) * self.dilations[axis]


def pad(data: Array, begins: Sequence[int], ends: Sequence[int], value: Any = 0, workspace: str | None = None) -> Array:
    """Pad the last axes with ``value`` by ``begins`` and ``ends`` elements; negative numbers crop.

    Returns a view where nothing is added, otherwise an array of its own or the ``workspace`` of this name.
    """
    lead = data.ndim - len(begins)
    kept: list[Any] = [...]
    placed: list[Any] = [...]
    shape: list[int] = []
    for size, begin, end in zip(data.shape[lead:], begins, ends, strict=True):
        first, last = max(-begin, 0), size + min(end, 0)
        last = max(last, first)
        kept.append(slice(first, last))
        placed.append(slice(first + begin, last + begin))
        shape.append(max(size + begin + end, 0))
    inside: Array = data[tuple(kept)]
    if max((0, *begins, *ends)) == 0:
        return inside
    whole = (*data.shape[:lead], *shape)
    padded = np.empty(whole, data.dtype) if workspace is None else scratch(workspace, whole, data.dtype)
    padded.fill(value)
    padded[tuple(placed)] = inside
    return padded


def view(data: Array, starts: Sequence[int], steps: Sequence[int], counts: Sequence[int]) -> Array:
    """View ``counts`` elements along each of the last axes, from ``starts`` on and ``steps`` apart."""
    along = zip(starts, steps, counts, strict=True)
    index: tuple[Any, ...] = (..., *(slice(start, start + step * count, step) for start, step, count in along))
    part: Array = data[index]
    return part


def extent(kernel: int, dilation: int) -> int:
    """Return the number of elements that a window spans from its first to its last, both included."""
    return (kernel - 1) * dilation + 1


def lowest(dtype: np.dtype[Any]) -> Any:
    """Return the lowest value of a dtype, the neutral element of max."""
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def extract_patches(data: Array, geometry: Geometry) -> Array:
    """Extract patches of [N, C, H, W], zero-padded, into [N, rows * cols * C, down, across], the channel innermost."""
    batch, channels = data.shape[:2]
    padded = pad(data, geometry.begins, [max(end, 0) for end in geometry.ends])
    output = np.empty((batch, *geometry.kernel, channels, *geometry.counts), dtype=data.dtype)
    for taps in np.ndindex(*geometry.kernel):
        offsets = [tap * dilation for tap, dilation in zip(taps, geometry.dilations, strict=True)]
        output[:, *taps] = view(padded, offsets, geometry.strides, geometry.counts)
    return output.reshape(batch, math.prod(geometry.kernel) * channels, *geometry.counts)


def pad_mapped(data: Array, before: Sequence[int], after: Sequence[int], mode: str) -> Array:
    """Pad ``data`` with its own elements, as `bounded` maps them; negative numbers crop.

    Each padded place maps to an element of the whole axis, even where the other end is cropped.
    """
    for axis, (b, size, a) in enumerate(zip(before, data.shape, after, strict=True)):
        if b <= 0 and a <= 0:
            index: Any = slice(-b, max(size + a, -b))
        else:
            index = bounded(np.arange(-b, max(size + a, -b)), size, mode)
        data = data[(slice(None),) * axis + (index,)]
    return data


def bounded(places: Array, size: int, mode: str) -> Array:
    """Map places to elements of an axis.

    ``edge`` maps those outside to the nearest, ``reflect`` mirrors at the border elements, ``symmetric`` at the
    borders.
    """
    if mode == "edge":
        return np.clip(places, 0, size - 1)
    period = 2 * size if mode == "symmetric" else max(2 * (size - 1), 1)
    turned = places % period
    return np.asarray(np.minimum(turned, period - (mode == "symmetric") - turned))


def padded_image(image: Array, geometry: Geometry, ends: Sequence[int]) -> Array:
    """Return a contiguous image [*S, C] with zeros around it; negative padding crops."""
    return np.ascontiguousarray(pad(image, (*geometry.begins, 0), (*ends, 0), 0, "padded"))


def windows_of(image: Array, geometry: Geometry, groups: int = 1) -> Array:
    """View the windows of a padded image [*S, G * C] as [G, *counts, *K, C]."""
    *along, each = image.strides
    depth = image.shape[-1] // groups
    steps = [step * size for own in geometry[1:3] for step, size in zip(own, along, strict=True)]
    shape = (groups, *geometry.counts, *geometry.kernel, depth)
    return np.ndarray(shape, image.dtype, image, strides=(depth * each, *steps, each))
