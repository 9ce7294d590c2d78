"""Convolution in blocks of results: windows, and padded parts of images.

Images are [*S, channels], so that the elements of a tap are contiguous.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from irrun.kernels.epilogue import Epilogue
from irrun.kernels.layout import strided
from irrun.kernels.ranges import even
from irrun.kernels.threads import Array, scratch
from irrun.kernels.windows import Geometry

TILE: Final = 4
"""Outputs of a tile of Winograd's along each axis; a tile reads two more elements."""

Place = tuple[slice, ...]
"""A part of the results of an image: slices of the first axes, the others are whole."""


def windows_of(image: Array, geometry: Geometry, place: Place, counts: Sequence[int], in_rows: bool = True) -> Array:
    """Return the windows of a part of the results, as a view [*counts, *K, C] of the image or of a padded copy.

    Unless they are needed ``in_rows``, the image may have any memory layout.
    """
    kernel, strides, dilations, begins, *_ = geometry
    firsts = [part.start for part in place] + [0] * (len(counts) - len(place))
    starts = [first * step - begin for first, step, begin in zip(firsts, strides, begins, strict=True)]
    part = padded(image, starts, geometry.reach(counts), in_rows)
    *along, each = part.strides
    steps = [step * size for own in (strides, dilations) for step, size in zip(own, along, strict=True)]
    return strided(part, (*counts, *kernel, image.shape[-1]), (*steps, each))


def padded(image: Array, starts: Sequence[int], sizes: Sequence[int], in_rows: bool = True) -> Array:
    """Return a part of a zero-padded image [*S, C], with contiguous rows, as a view or in workspace of the thread."""
    places = list(zip(starts, sizes, image.shape, strict=False))
    is_long = image.strides[-1] == image.itemsize and image.strides[-2] == image.shape[-1] * image.itemsize
    if (is_long or not in_rows) and all(start >= 0 and start + size <= whole for start, size, whole in places):
        return image[tuple(slice(start, start + size) for start, size, _ in places)]
    result = scratch("padded", (*sizes, image.shape[-1]), image.dtype)
    inside: Place = ()
    source: Place = ()
    for start, size, whole in places:
        low = min(max(-start, 0), size)
        high = max(min(whole - start, size), low)
        result[(*inside, slice(low))] = 0
        result[(*inside, slice(high, None))] = 0
        inside, source = (*inside, slice(low, high)), (*source, slice(start + low, start + high))
    np.copyto(result[inside], image[source])
    return result


def parts(sizes: Sequence[int], most: int) -> Iterator[Place]:
    """Yield nearly equal parts of at most ``most`` elements, one after the other."""
    inner = [math.prod(sizes[axis + 1 :]) for axis in range(len(sizes))]
    axis = next(axis for axis, size in enumerate(inner) if size <= max(most, 1))
    step = even(sizes[axis], most // max(inner[axis], 1))
    for front in np.ndindex(*sizes[:axis]):
        for first in range(0, sizes[axis], step):
            yield (*(slice(at, at + 1) for at in front), slice(first, min(first + step, sizes[axis])))


class Blocks:
    """A convolution that computes its result in blocks, which are in the cache for the epilogue."""

    def __init__(self, geometry: Geometry, epilogue: Epilogue) -> None:
        self.geometry = geometry
        self.epilogue = epilogue

    def places(self, sizes: tuple[int, ...]) -> Iterator[Place]:
        """Yield the place of each block in a result of these sizes."""
        raise NotImplementedError

    def compute(self, image: Array, place: Place, block: Array) -> None:
        """Write the results at a place of an image to a contiguous block."""
        raise NotImplementedError

    def run(self, images: Array, target: Array, summand: Array | None) -> None:
        """Compute the results of all images; arrays are [N, *S, C]."""
        if not target.size:
            return
        for number, image in enumerate(images):
            for place in self.places(target.shape[1:-1]):
                here: Any = (number, *place)
                wanted = target[here]
                block = wanted if wanted.flags.c_contiguous else scratch("result", wanted.shape, wanted.dtype)
                self.compute(image, place, block)
                self.epilogue.apply(block, None if summand is None else summand[here])
                if block is not wanted:
                    np.copyto(wanted, block)
