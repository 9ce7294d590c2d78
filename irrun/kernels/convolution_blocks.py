"""Convolution in blocks of results: windows, and padded parts of images.

Images are [*S, channels], so that the elements of a tap are contiguous.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from irrun.kernels.epilogue import Epilogue
from irrun.kernels.layout import strided
from irrun.kernels.ranges import even
from irrun.kernels.threads import Array, are_products_shared, scratch
from irrun.kernels.windows import Geometry

TILE: Final = 4
"""Outputs of a tile of Winograd's along each axis; a tile reads two more elements."""

Place = tuple[slice, ...]
"""A part of the results of an image: slices of the first axes, the others are whole."""


class Region:
    """A part of a zero-padded image [*S, C]."""

    def __init__(self, starts: Sequence[int], sizes: Sequence[int], image: Sequence[int]) -> None:
        self.sizes: tuple[int, ...] = tuple(sizes)
        self.edges: list[Place] = []
        self.inside: Place = ()
        self.source: Place = ()
        for start, size, whole in zip(starts, sizes, image, strict=True):
            low = min(max(-start, 0), size)
            high = max(min(whole - start, size), low)
            self.edges += [(*self.inside, slice(*edge)) for edge in ((0, low), (high, size)) if edge[0] < edge[1]]
            self.inside = (*self.inside, slice(low, high))
            self.source = (*self.source, slice(start + low, start + high))

    def of(self, image: Array, in_rows: bool) -> Array:
        """Return the region as a view or in workspace of the thread; ``in_rows`` if its rows have to be contiguous."""
        is_long = image.strides[-1] == image.itemsize and image.strides[-2] == image.shape[-1] * image.itemsize
        if (is_long or not in_rows) and not self.edges:
            return image[self.source]
        result = scratch("padded", (*self.sizes, image.shape[-1]), image.dtype)
        for edge in self.edges:
            result[edge] = 0
        np.copyto(result[self.inside], image[self.source])
        return result


def windows_of(part: Array, geometry: Geometry, counts: Sequence[int]) -> Array:
    """View the windows of a region as [*counts, *K, C]."""
    *along, each = part.strides
    steps = [step * size for own in geometry[1:3] for step, size in zip(own, along, strict=True)]
    return strided(part, (*counts, *geometry.kernel, part.shape[-1]), (*steps, each))


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

    in_rows = True
    """True if the rows of a region have to be contiguous."""

    def __init__(self, geometry: Geometry, epilogue: Epilogue) -> None:
        self.geometry = geometry
        self.epilogue = epilogue
        self._regions: dict[bool, list[tuple[Place, Region]]] = {}

    def places(self) -> Iterator[Place]:
        """Yield the place of each block in the result."""
        raise NotImplementedError

    def region(self, place: Place) -> Region:
        """Return the part of an image that the results of a block are computed from."""
        _, strides, _, begins, sizes, counts = self.geometry
        whole = (*place, *(slice(0, count) for count in counts[len(place) :]))
        starts = [part.start * step - begin for part, step, begin in zip(whole, strides, begins, strict=True)]
        return Region(starts, self.geometry.reach([part.stop - part.start for part in whole]), sizes)

    def compute(self, part: Array, block: Array) -> None:
        """Write the results for a region to a contiguous block."""
        raise NotImplementedError

    def run(self, images: Array, target: Array, summand: Array | None) -> None:
        """Compute the results of all images; arrays are [N, *S, C]."""
        if not target.size:
            return
        shared = are_products_shared()
        regions = self._regions.get(shared)
        if regions is None:
            regions = self._regions[shared] = [(place, self.region(place)) for place in self.places()]
        for number, image in enumerate(images):
            result, added = target[number], None if summand is None else summand[number]
            for place, region in regions:
                wanted = result[place]
                block = wanted if wanted.flags.c_contiguous else scratch("result", wanted.shape, wanted.dtype)
                self.compute(region.of(image, self.in_rows), block)
                self.epilogue.apply(block, None if added is None else added[place])
                if block is not wanted:
                    np.copyto(wanted, block)
