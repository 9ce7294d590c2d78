"""Convolution with constant weights: everything that the input does not change is done once, ahead.

Inside, images are [rows, columns, channels]: taps are long runs, and the result of one convolution is what the next one
wants. An array in this order is handed out, and taken, as a view [N, C, H, W], so that nobody else need know. Blocks of
the result are finished (bias, summand, activation) while they are in the cache, and shared between threads.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.lib.stride_tricks import as_strided

from irrun.kernels.convolution import convolve
from irrun.kernels.threads import Array, scratch, split, threads
from irrun.kernels.windows import extent
from irrun.kernels.winograd import TILE, transform_data, transform_result, transform_weights

Activation = Callable[[Array], object]
"""Overwrites an array with a function of its elements."""

_BLOCK_ELEMENTS: Final = 1 << 18
"""Floats of a block that is worked on: two such blocks fit the cache of a core."""

_WINOGRAD_ELEMENTS: Final = 1 << 18

_DEPTHWISE_ELEMENTS: Final = 1 << 17

_SMALL_PRODUCT: Final = 530_000

_LEAST_POINTS: Final = 96
"""Rows below which a matrix product is slow because it spends its time packing the other matrix."""

_FAST: Final = 60
"""Multiply-adds in a nanosecond, on one thread."""


@dataclass(frozen=True, slots=True)
class Geometry:
    """Where the windows lie over images of two axes."""

    kernel: tuple[int, int]
    strides: tuple[int, int]
    dilations: tuple[int, int]
    begins: tuple[int, int]
    sizes: tuple[int, int]
    counts: tuple[int, int]

    @property
    def padded_width(self) -> int:
        return (self.counts[1] - 1) * self.strides[1] + extent(self.kernel[1], self.dilations[1])

    @property
    def is_inside(self) -> bool:
        """Whether no window reaches into padding."""
        spans = (extent(*of) for of in zip(self.kernel, self.dilations, strict=True))
        places = zip(self.sizes, self.counts, self.strides, spans, strict=True)
        return self.begins == (0, 0) and all((count - 1) * step + span <= size for size, count, step, span in places)

    @property
    def is_dense(self) -> bool:
        """Whether the windows are single elements that cover the image."""
        return self.kernel == (1, 1) and self.sizes == self.counts and self.strides == (1, 1)


@dataclass(frozen=True, slots=True)
class Finish:
    """What is done to a block of results [rows, columns, O] before it leaves the cache."""

    bias: Array | None
    activation: Activation | None

    def __call__(self, block: Array, summand: Array | None, channels: slice = slice(None)) -> None:
        """``summand`` is [rows, columns, O], and may have fewer rows and columns than the block."""
        if self.bias is not None:
            _add_to_rows(block.reshape(-1, block.shape[-1]), self.bias[channels])
        if summand is not None:
            inside = block[: summand.shape[0], : summand.shape[1]]
            np.add(inside, summand, out=inside)
        if self.activation is not None:
            self.activation(block)


def _add_to_rows(block: Array, row: Array) -> None:
    """Several rows at a time, where they are short."""
    repeats = -(-1024 // row.size)
    whole = len(block) - len(block) % repeats
    if repeats > 1 and whole and block.flags.c_contiguous:
        several = block[:whole].reshape(-1, repeats * row.size)
        several += np.tile(row, repeats)
        block = block[whole:]
    block += row


def _even(rows: int, step: int, batch: int, least: int) -> int:
    """At most so many rows at a time, so that all threads get about as much to do."""
    blocks = -(-rows // step)
    if batch == 1 and blocks % threads() and rows >= threads() * least:
        blocks += threads() - blocks % threads()
    return -(-rows // blocks)


class PreparedConvolution:
    """``prepared(x, out=None, summand=None)`` is activation(convolution of x + bias + summand), [N, C, *S].

    ``out`` and ``summand`` have the shape of the result; ``out`` may lie in memory in any order, and is returned. A
    result that is made anew has its channels last in memory.
    """

    def __init__(self, kind: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.kind = kind
        self.shape = shape
        self.dtype = dtype

    def __call__(self, x: Array, out: Array | None = None, summand: Array | None = None) -> Array:
        if out is None:
            batch, channels, *spatial = self.shape
            out = np.moveaxis(np.empty((batch, *spatial, channels), self.dtype), -1, 1)
        self.kind.run(_images(x), _images(out), None if summand is None else _images(summand))
        return out


class _Unprepared:
    """What has no faster way: three axes, integers, padding that cuts off."""

    def __init__(
        self, weights: Array, windows: tuple[tuple[int, ...], ...], finish: Finish, shape: tuple[int, ...]
    ) -> None:
        self.weights, self.windows, self.finish = weights, windows, finish
        self.shape = shape

    def __call__(self, x: Array, out: Array | None = None, summand: Array | None = None) -> Array:
        result = convolve(x, self.weights, *self.windows)
        if self.finish.bias is not None:
            result += self.finish.bias.reshape(-1, *(1,) * (result.ndim - 2))
        if summand is not None:
            result += summand
        if self.finish.activation is not None:
            self.finish.activation(result)
        if out is None:
            return result
        np.copyto(out, result)
        return out


Prepared = PreparedConvolution | _Unprepared


def _images(x: Array) -> Array:
    """[N, C, W] or [N, C, H, W] as a view [N, H, W, C]."""
    return (x[:, :, np.newaxis] if x.ndim == 3 else x).transpose(0, 2, 3, 1)


def prepare_convolution(
    weights: Array,
    strides: Sequence[int],
    dilations: Sequence[int],
    pads_begin: Sequence[int],
    pads_end: Sequence[int],
    groups: int,
    input_shape: Sequence[int],
    bias: Array | None = None,
    activation: Activation | None = None,
    accurate: bool = False,
) -> Prepared:
    """Convolution of x [N, C, *S] with weights [O, I, *K] or [G, O / G, I, *K], plus ``bias`` [O].

    ``accurate`` keeps to sums of products in their own type: no transform that loses bits for speed.
    """
    grouped = weights.reshape(groups, -1, input_shape[1] // groups, *weights.shape[weights.ndim - len(strides) :])
    spans = [extent(taps, d) for taps, d in zip(grouped.shape[3:], dilations, strict=True)]
    places = zip(input_shape[2:], pads_begin, pads_end, spans, strides, strict=True)
    counts = [(size + begin + end - span) // stride + 1 for size, begin, end, span, stride in places]
    shape = (input_shape[0], grouped.shape[0] * grouped.shape[1], *counts)
    finish = Finish(None if bias is None else np.ascontiguousarray(bias, weights.dtype).reshape(-1), activation)
    windows = (tuple(strides), tuple(dilations), tuple(pads_begin), tuple(pads_end))
    plain = len(strides) in (1, 2) and weights.dtype.kind == "f" and 0 not in (*shape, *input_shape)
    if not plain or any(pad < 0 for pad in (*pads_begin, *pads_end)):
        return _Unprepared(grouped, windows, finish, shape)
    flat = len(strides) == 1
    geometry = Geometry(
        *(
            (1 if fill else 0, values[0]) if flat else (values[0], values[1])
            for values, fill in ((grouped.shape[3:], 1), (strides, 1), (dilations, 1), (pads_begin, 0))
        ),
        *((1, values[0]) if flat else (values[0], values[1]) for values in (input_shape[2:], counts)),
    )
    grouped = grouped[:, :, :, np.newaxis] if flat else grouped
    return PreparedConvolution(_choose(grouped, geometry, finish, shape[0], accurate), shape, weights.dtype)


def _choose(weights: Array, geometry: Geometry, finish: Finish, batch: int, accurate: bool) -> Any:
    groups, filters, depth = weights.shape[:3]
    if groups > 1:
        return _Depthwise(weights, geometry, finish) if depth == 1 else _Grouped(weights, geometry, finish)
    if geometry.kernel == (1, 1) and geometry.is_inside:
        return _Pointwise(weights[0], geometry, finish)
    if not accurate and weights.dtype == np.float32 and _worth_winograd(geometry, filters, depth, batch):
        return _Winograd(weights[0], geometry, finish, batch)
    return _Columns(weights[0], geometry, finish)


def _worth_winograd(geometry: Geometry, filters: int, depth: int, batch: int) -> bool:
    if geometry.kernel != (3, 3) or (geometry.strides, geometry.dilations) != ((1, 1), (1, 1)):
        return False
    tiles = batch * math.prod(-(-count // TILE) for count in geometry.counts)
    used = batch * math.prod(geometry.counts) / (tiles * TILE * TILE)
    return min(filters, depth) >= 32 and tiles >= 16 and used > 0.6


class _Product:
    """Matrices [points, K] that are made block by block, times weights [K, O]."""

    def __init__(self, weights: Array, finish: Finish) -> None:
        self.weights = weights
        self.finish = finish

    def multiply(self, matrix: Array, target: Array, summand: Array | None, channels: slice = slice(None)) -> None:
        """One block: target and summand are [rows, columns, O]."""
        filters = target.shape[-1]
        direct = target.flags.c_contiguous
        block = target if direct else scratch("result", target.shape, matrix.dtype)
        part = block[..., channels]
        np.matmul(matrix, self.weights[:, channels], out=block.reshape(-1, filters)[:, channels])
        self.finish(part, None if summand is None else summand[..., channels], channels)
        if not direct:
            np.copyto(target[..., channels], part)

    def run_blocks(
        self, matrix_of: Callable[[int, int, int], Array], target: Array, summand: Array | None, inner: int
    ) -> None:
        """``matrix_of(image, first, last)`` gives the rows for a range of rows of one image."""
        batch, rows, columns, filters = target.shape
        nanoseconds = batch * rows * columns * inner * filters / _FAST
        least = -(-_LEAST_POINTS // columns)
        if batch == 1 and rows < 2 * least and rows * columns * inner <= 4 * _BLOCK_ELEMENTS:
            matrix = matrix_of(0, 0, rows)
            part = None if summand is None else summand[0]

            def panel(first: int, last: int) -> None:
                self.multiply(matrix, target[0], part, slice(16 * first, min(16 * last, filters)))

            split(panel, -(-filters // 16), nanoseconds)
            return
        step = max(_BLOCK_ELEMENTS // (columns * (inner + filters)), least)
        step = _even(rows, step, batch, least)
        starts = [(image, first) for image in range(batch) for first in range(0, rows, step)]

        def several(first: int, last: int) -> None:
            for image, row in starts[first:last]:
                end = min(row + step, rows)
                part = None if summand is None else summand[image, row:end]
                self.multiply(matrix_of(image, row, end), target[image, row:end], part)

        split(several, len(starts), nanoseconds)


class _Pointwise(_Product):
    """A kernel of one element."""

    def __init__(self, weights: Array, geometry: Geometry, finish: Finish) -> None:
        filters, depth = weights.shape[:2]
        super().__init__(np.ascontiguousarray(weights.reshape(filters, depth).T), finish)
        self.geometry = geometry

    def run(self, images: Array, target: Array, summand: Array | None) -> None:
        strides, counts = self.geometry.strides, self.geometry.counts
        images = images[:, :: strides[0], :: strides[1]][:, : counts[0], : counts[1]]
        given = [part for part in (images, target, summand) if part is not None]
        if self.geometry.is_dense and all(part.strides[1] == part.shape[2] * part.strides[2] for part in given):
            images, target = _as_points(images), _as_points(target)
            summand = None if summand is None else _as_points(summand)
        depth = images.shape[-1]

        def matrix_of(image: int, first: int, last: int) -> Array:
            part = images[image, first:last]
            if _is_matrix(part):
                return part.reshape(-1, depth)
            matrix = scratch("columns", part.shape, part.dtype)
            np.copyto(matrix, part)
            return matrix.reshape(-1, depth)

        self.run_blocks(matrix_of, target, summand, depth)


def _as_points(images: Array) -> Array:
    """[N, H, W, C] as [N, H * W, 1, C]."""
    return images.reshape(images.shape[0], -1, 1, images.shape[3])


def _is_matrix(part: Array) -> bool:
    """Whether [rows, columns, C] is a matrix [points, C] that a product takes as it lies."""
    down, along, deep = part.strides
    one = part.itemsize
    return down == part.shape[1] * along and one in (along, deep)


class _Columns(_Product):
    """The windows side by side as the rows of a matrix."""

    def __init__(self, weights: Array, geometry: Geometry, finish: Finish) -> None:
        taps = weights.transpose(2, 3, 1, 0)
        super().__init__(np.ascontiguousarray(taps).reshape(-1, weights.shape[0]), finish)
        self.geometry = geometry

    def run(self, images: Array, target: Array, summand: Array | None) -> None:
        inner = len(self.weights)

        def matrix_of(image: int, first: int, last: int) -> Array:
            return _columns(images[image], self.geometry, first, last).reshape(-1, inner)

        self.run_blocks(matrix_of, target, summand, inner)


def _columns(image: Array, geometry: Geometry, first: int, last: int) -> Array:
    """The windows of some rows, [rows, columns, *K, C], in memory of the thread."""
    channels = image.shape[-1]
    rows = last - first
    height = (rows - 1) * geometry.strides[0] + extent(geometry.kernel[0], geometry.dilations[0])
    padded = padded_rows(image, geometry, first * geometry.strides[0], height, geometry.padded_width)
    down, along, each = padded.strides
    shape = (rows, geometry.counts[1], *geometry.kernel, channels)
    steps = (
        down * geometry.strides[0],
        along * geometry.strides[1],
        down * geometry.dilations[0],
        along * geometry.dilations[1],
        each,
    )
    columns = scratch("columns", shape, image.dtype)
    np.copyto(columns, as_strided(padded, shape, steps))
    return columns


def padded_rows(image: Array, geometry: Geometry, first: int, height: int, width: int) -> Array:
    """Rows of a padded image [H, W, C], from the padded row ``first`` on, in memory of the thread or as a view."""
    rows, columns, channels = image.shape
    top, left = first - geometry.begins[0], -geometry.begins[1]
    if top >= 0 and left == 0 and top + height <= rows and width <= columns and _has_long_rows(image):
        return image[top : top + height, :width]
    padded = scratch("padded", (height, width, channels), image.dtype)
    above, below = min(max(-top, 0), height), min(max(rows - top, 0), height)
    before, behind = -left, min(columns - left, width)
    padded[:above] = 0
    padded[below:] = 0
    padded[above:below, :before] = 0
    padded[above:below, behind:] = 0
    if above < below:
        np.copyto(padded[above:below, before:behind], image[top + above : top + below, : behind - before])
    return padded


def _has_long_rows(image: Array) -> bool:
    return image.strides[2] == image.itemsize and image.strides[1] == image.shape[2] * image.itemsize


class _Winograd:
    """3 x 3 without strides or dilations, by tiles."""

    def __init__(self, weights: Array, geometry: Geometry, finish: Finish, batch: int) -> None:
        filters, depth = weights.shape[:2]
        self.geometry = geometry
        self.finish = finish
        self.tiles = down, across = tuple(-(-count // TILE) for count in geometry.counts)
        least = max(-(-_least_tiles(depth, filters) // across), 1)
        self.step = _even(down, max(_WINOGRAD_ELEMENTS // (36 * across * (depth + filters)), least), batch, least)
        width = _panel_width(self.step * across, depth, filters)
        panels = transform_weights(weights).reshape(36, depth, -1, width)
        self.weights = np.ascontiguousarray(panels.transpose(0, 2, 1, 3))

    def run(self, images: Array, target: Array, summand: Array | None) -> None:
        down, across = self.tiles
        depth, filters, batch = images.shape[-1], target.shape[-1], len(images)
        nanoseconds = batch * down * across * (36 * depth * filters / _FAST + 30 * (depth + filters))
        starts = [(image, row) for image in range(batch) for row in range(0, down, self.step)]

        def several(first: int, last: int) -> None:
            for image, row in starts[first:last]:
                part = None if summand is None else summand[image]
                self._block(images[image], target[image], part, row, min(row + self.step, down))

        if len(starts) == 1:
            self._block(images[0], target[0], None if summand is None else summand[0], 0, down)
        else:
            split(several, len(starts), nanoseconds)

    def _block(self, image: Array, target: Array, summand: Array | None, first: int, last: int) -> None:
        """A few rows of tiles."""
        rows, across = last - first, self.tiles[1]
        depth, filters = image.shape[-1], target.shape[-1]
        points = rows * across
        padded = padded_rows(image, self.geometry, TILE * first, TILE * rows + 2, TILE * across + 2)
        data = scratch("winograd data", (36, points, depth), np.float32)
        transform_data(padded, rows, across, data)
        products = scratch("winograd products", (36, points, filters), np.float32)
        panels = products.reshape(36, points, -1, self.weights.shape[-1]).transpose(0, 2, 1, 3)

        def several(begin: int, end: int) -> None:
            np.matmul(data[begin:end, np.newaxis], self.weights[begin:end], out=panels[begin:end])

        split(several, 36, 36 * points * depth * filters / _FAST)
        tiles = transform_result(products, rows, across)
        height, width = min(TILE * rows, self.geometry.counts[0] - TILE * first), self.geometry.counts[1]
        wanted = target[TILE * first : TILE * first + height]
        direct = wanted.flags.c_contiguous and wanted.shape[:2] == (TILE * rows, TILE * across)
        whole = wanted if direct else scratch("result", (TILE * rows, TILE * across, filters), np.float32)
        np.copyto(whole.reshape(rows, TILE, across, TILE, filters), tiles)
        cut = whole[:height, :width]
        self.finish(whole, None if summand is None else summand[TILE * first : TILE * first + height])
        if not direct:
            np.copyto(wanted, cut)


def _panel_width(points: int, depth: int, filters: int) -> int:
    """How many of the filters to multiply at a time: the BLAS library does not pack the factors of small products."""
    width = filters
    while width % 2 == 0 and width > 32 and points * depth * width > _SMALL_PRODUCT:
        width //= 2
    return width


def _least_tiles(depth: int, filters: int) -> int:
    """Rows of the 36 products that are worth packing the weights for."""
    return 24 if depth * filters <= 1 << 14 else 64


class _Depthwise:
    """One input channel for each group: every tap is a multiplication and an addition of long rows."""

    def __init__(self, weights: Array, geometry: Geometry, finish: Finish) -> None:
        groups, self.copies = weights.shape[:2]
        taps = weights.reshape(groups * self.copies, *geometry.kernel).transpose(1, 2, 0)
        self.weights = np.tile(taps, geometry.counts[1])
        self.geometry = geometry
        self.finish = finish

    def run(self, images: Array, target: Array, summand: Array | None) -> None:
        if self.copies > 1:
            images = np.repeat(images, self.copies, axis=-1)
        batch, rows, columns, channels = target.shape
        step = _even(rows, max(_DEPTHWISE_ELEMENTS // (columns * channels), 1), batch, 1)
        starts = [(image, first) for image in range(batch) for first in range(0, rows, step)]

        def several(first: int, last: int) -> None:
            for image, row in starts[first:last]:
                end = min(row + step, rows)
                part = None if summand is None else summand[image, row:end]
                self._block(images[image], target[image, row:end], part, row)

        split(several, len(starts), 0.3 * target.size * math.prod(self.geometry.kernel))

    def _block(self, image: Array, target: Array, summand: Array | None, first: int) -> None:
        rows, columns, channels = target.shape
        length = columns * channels
        direct = target.flags.c_contiguous
        total = target.reshape(rows, length) if direct else scratch("result", (rows, length), image.dtype)
        product = scratch("product", (rows, length), image.dtype)
        phases = self._phases(image, first, rows)
        (down, across), (low, wide) = self.geometry.strides, self.geometry.dilations
        for y, x in np.ndindex(*self.geometry.kernel):
            plane = phases[x * wide % across]
            skip = x * wide // across * channels
            source = plane[y * low : y * low + (rows - 1) * down + 1 : down, skip : skip + length]
            np.multiply(source, self.weights[y, x], out=product if x or y else total)
            if x or y:
                np.add(total, product, out=total)
        block = total.reshape(target.shape)
        self.finish(block, summand)
        if not direct:
            np.copyto(target, block)

    def _phases(self, image: Array, first: int, rows: int) -> Array:
        """The padded rows as [stride, rows, columns / stride * C]: every stride-th column together."""
        across = self.geometry.strides[1]
        channels = image.shape[-1]
        height = (rows - 1) * self.geometry.strides[0] + extent(self.geometry.kernel[0], self.geometry.dilations[0])
        width = -(-self.geometry.padded_width // across)
        padded = padded_rows(image, self.geometry, first * self.geometry.strides[0], height, width * across)
        if across == 1:
            return padded.reshape(1, height, width * channels)
        apart = scratch("phases", (across, height, width, channels), image.dtype)
        np.copyto(apart, padded.reshape(height, width, across, channels).transpose(2, 0, 1, 3))
        return apart.reshape(across, height, width * channels)


class _Grouped:
    """Groups of several channels: a product of matrices for each."""

    def __init__(self, weights: Array, geometry: Geometry, finish: Finish) -> None:
        groups, filters, depth = weights.shape[:3]
        self.weights = np.ascontiguousarray(weights.transpose(0, 3, 4, 2, 1)).reshape(groups, -1, filters)
        self.depth = depth
        self.geometry = geometry
        self.finish = finish

    def run(self, images: Array, target: Array, summand: Array | None) -> None:
        batch, rows, columns, filters = target.shape
        inner = self.weights.shape[0] * self.weights.shape[1]
        step = max(_BLOCK_ELEMENTS // (columns * (inner + filters)), -(-_LEAST_POINTS // columns))
        step = _even(rows, step, batch, 1)
        starts = [(image, first) for image in range(batch) for first in range(0, rows, step)]

        def several(first: int, last: int) -> None:
            for image, row in starts[first:last]:
                end = min(row + step, rows)
                part = None if summand is None else summand[image, row:end]
                self._block(images[image], target[image, row:end], part, row)

        split(several, len(starts), target.size * self.weights.shape[1] / _FAST)

    def _block(self, image: Array, target: Array, summand: Array | None, first: int) -> None:
        rows, columns, filters = target.shape
        groups, inner, each = self.weights.shape
        points = rows * columns
        matrices = scratch("grouped", (groups, points, inner), image.dtype)
        taps = _columns(image, self.geometry, first, first + rows)
        split_channels = taps.reshape(points, -1, groups, self.depth).transpose(2, 0, 1, 3)
        np.copyto(matrices.reshape(split_channels.shape), split_channels)
        direct = target.flags.c_contiguous
        block = target if direct else scratch("result", target.shape, image.dtype)
        np.matmul(matrices, self.weights, out=block.reshape(points, groups, each).transpose(1, 0, 2))
        self.finish(block, summand)
        if not direct:
            np.copyto(target, block)
