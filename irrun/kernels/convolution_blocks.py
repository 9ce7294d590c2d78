"""Blocks of the results of a convolution, and the windows that each is computed from.

Images are [*S, channels], so that the elements of a tap are contiguous.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from irrun.kernels.layout import strided
from irrun.kernels.threads import Array, scratch
from irrun.kernels.windows import Geometry

Place = tuple[slice, ...]
"""A part of the results of an image: slices of the first axes, the others are whole."""


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


@lru_cache(128)
def parts(sizes: tuple[int, ...], most: int) -> Sequence[Place]:
    """Return nearly equal parts of at most ``most`` elements, one after the other."""
    inner = [math.prod(sizes[axis + 1 :]) for axis in range(len(sizes))]
    axis = next(axis for axis, size in enumerate(inner) if size <= max(most, 1))
    step = even(sizes[axis], most // max(inner[axis], 1))
    spans = [slice(first, min(first + step, sizes[axis])) for first in range(0, sizes[axis], step)]
    return [(*(slice(at, at + 1) for at in front), span) for front in np.ndindex(*sizes[:axis]) for span in spans]


def even(count: int, most: int) -> int:
    """Return the size of nearly equal parts of ``count``, at most ``most`` each."""
    blocks = max(-(-count // max(most, 1)), 1)
    return max(-(-count // blocks), 1)
