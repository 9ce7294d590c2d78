"""Padding and strided views of trailing axes, for operations with sliding windows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from irrun.kernels.elementwise import Place
from irrun.kernels.layout import strided
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
    def is_pointwise(self) -> bool:
        return set(self.kernel) <= {1}

    @property
    def is_dense(self) -> bool:
        """True where the windows are single elements that cover the whole tensor."""
        return self.is_pointwise and self.sizes == self.counts and set(self.strides) <= {1} and not any(self.begins)

    @property
    def ends(self) -> list[int]:
        """The elements of padding that windows reach after the tensor; negative where they do not reach its end."""
        return [r - b - size for r, b, size in zip(self.reach(self.counts), self.begins, self.sizes, strict=True)]

    def reach(self, counts: Sequence[int]) -> list[int]:
        """Return the sizes of the part that windows of these ``counts`` cover."""
        spans = map(extent, self.kernel, self.dilations)
        return [(count - 1) * step + span for count, step, span in zip(counts, self.strides, spans, strict=True)]

    def places(self, axis: int) -> Array:
        """Return the places [windows, taps] of the elements of the windows on an axis."""
        first = np.arange(self.counts[axis]) * self.strides[axis] - self.begins[axis]
        return first[:, None] + np.arange(self.kernel[axis]) * self.dilations[axis]


def pad(data: Array, begins: Sequence[int], ends: Sequence[int], value: Any = 0) -> Array:
    """Pad the last axes with ``value`` by ``begins`` and ``ends`` elements; negative numbers crop.

    Returns a view where nothing is added.
    """
    axes = len(begins)
    sizes = data.shape[data.ndim - axes :]
    kept: list[Any] = [...]
    placed: list[Any] = [...]
    shape: list[int] = []
    for size, begin, end in zip(sizes, begins, ends, strict=True):
        first, last = max(-begin, 0), size + min(end, 0)
        last = max(last, first)
        kept.append(slice(first, last))
        placed.append(slice(first + begin, last + begin))
        shape.append(max(size + begin + end, 0))
    inside: Array = data[tuple(kept)]
    if all(begin <= 0 and end <= 0 for begin, end in zip(begins, ends, strict=True)):
        return inside
    padded = np.full((*data.shape[: data.ndim - axes], *shape), value, data.dtype)
    padded[tuple(placed)] = inside
    return padded


def view(data: Array, starts: Sequence[int], steps: Sequence[int], counts: Sequence[int]) -> Array:
    """View ``counts`` elements along each of the last axes, from ``starts`` on and ``steps`` apart."""
    index: list[Any] = [...]
    index.extend(_slice(*of) for of in zip(starts, steps, counts, strict=True))
    part: Array = data[tuple(index)]
    return part


def _slice(start: int, step: int, count: int) -> slice:
    return slice(start, start + step * (count - 1) + 1, step) if count > 0 else slice(0, 0)


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
    """Pad ``data`` with its own elements; negative numbers crop.

    Each padded place maps to an element of the whole axis, even where the other end is cropped: ``edge`` to the
    nearest, ``reflect`` mirrors at the border elements, ``symmetric`` at the borders.
    """
    for axis, (b, size, a) in enumerate(zip(before, data.shape, after, strict=True)):
        if b <= 0 and a <= 0:
            index: Any = slice(-b, max(size + a, -b))
        else:
            index = _source(np.arange(-b, max(size + a, -b)), size, mode)
        data = data[(slice(None),) * axis + (index,)]
    return data


def _source(place: Array, size: int, mode: str) -> Array:
    if mode == "edge":
        return np.clip(place, 0, size - 1)
    period = 2 * size if mode == "symmetric" else max(2 * (size - 1), 1)
    place = place % period
    if mode == "reflect" and size == 1:
        return place
    mirrored: Array = np.minimum(place, (period - 1 if mode == "symmetric" else period) - place)
    return mirrored


def windows_of(image: Array, place: Place, geometry: Geometry, counts: Sequence[int]) -> Array:
    """View the windows at a place of a zero-padded image [*S, C] as [*counts, *K, C]."""
    part = region(image, place, geometry.reach(counts), geometry)
    *along, each = part.strides
    steps = [step * size for own in geometry[1:3] for step, size in zip(own, along, strict=True)]
    return strided(part, (*counts, *geometry.kernel, part.shape[-1]), (*steps, each))


def region(image: Array, place: Place, sizes: Sequence[int], geometry: Geometry) -> Array:
    """Return the part of a zero-padded image [*S, C] with these sizes that begins at the first window of a place.

    It is a view, or in workspace of the thread.
    """
    inside, outside, source = _region(tuple([part.start for part in place]), tuple(sizes), geometry)
    if not outside:
        return image[source]
    result = scratch("padded", (*sizes, image.shape[-1]), image.dtype)
    for edge in outside:
        result[edge] = 0
    np.copyto(result[inside], image[source])
    return result


@lru_cache(1024)
def _region(starts: tuple[int, ...], sizes: tuple[int, ...], geometry: Geometry) -> tuple[Place, list[Place], Place]:
    """Return which part of a region is inside of the image, the parts that are not, and the part of the image."""
    inside: Place = ()
    outside: list[Place] = []
    source: Place = ()
    for axis, (size, whole) in enumerate(zip(sizes, geometry.sizes, strict=True)):
        start = (starts[axis] if axis < len(starts) else 0) * geometry.strides[axis] - geometry.begins[axis]
        low = min(max(-start, 0), size)
        high = max(min(whole - start, size), low)
        outside += [(*inside, slice(*edge)) for edge in ((0, low), (high, size)) if edge[0] < edge[1]]
        inside = (*inside, slice(low, high))
        source = (*source, slice(start + low, start + high))
    return inside, outside, source
