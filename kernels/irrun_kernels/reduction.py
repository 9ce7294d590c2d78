"""Some points under a window, channel by channel: what depthwise convolution and pooling are made of."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, Final

from irrun_kernels import ir
from irrun_kernels.epilogue import RowAddresses, begin, dequantize_sums, end, masks_of
from irrun_kernels.host import REGISTERS
from irrun_kernels.native import intrinsic, several
from irrun_kernels.vectors import Vectors

MULTIPLY, ADD, RAISE, MULTIPLY_BF16 = range(4)
"""The sum of the elements of a window times weights, the mean of them, the largest, where NaN counts as -inf, and the
sum of bf16 times weights."""

LARGEST, SUM = range(2)
"""The largest byte of a window, and the sum of products."""

VECTORS: Final = 4 if REGISTERS == 32 else 2
"""Vectors of channels at a time, at most."""

PIXELS: Final = (0, 12, 12, 8, 6) if REGISTERS == 32 else (0, 12, 6)
BYTE_PIXELS: Final = (0, 12, 8, 4, 4) if REGISTERS == 32 else (0, 8, 4)
"""Pixels at a time, by the number of vectors; there are variants for one pixel as well."""

POINTS: Final = 24
"""A multiple of all of them."""


def _variants(kinds: int, pixels: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """The kinds, pixels and vectors of all loops that there are."""
    tiles = [(count, width) for width in range(1, VECTORS + 1) for count in (pixels[width], 1)]
    return tuple((kind, *tile) for kind, tile in product(range(kinds), tiles))


@intrinsic("void", *several(4, 3), "int64", *several(2), "int64", *several(2, 2, 2), "int64", "int64", *["float32"] * 2)
def reduce_points(
    v: Vectors,
    blocks: Any,
    x: Any,
    taps: Any,
    weights: Any,
    bias: Any,
    summand: Any,
    out: Any,
    rounded: Any,
    channels: Any,
    divisors: Any,
    low: Any,
    high: Any,
) -> None:
    """Reduce the windows of some points.

    ``blocks`` are a kind, the numbers of pixels and of vectors of a block, and the number of blocks. ``x`` is the
    address of the addresses of the pixels that the first of the ``taps`` meets, the bytes to those of the next, and the
    bytes to the first channel; ``weights`` an address, and the bytes from tap to tap. ``summand``, ``out`` and
    ``rounded``, the result in bf16, are an address of addresses, or 0, and the bytes to the first channel, ``bias`` is
    an address, or 0. So many ``channels`` are written, which may be fewer than the vectors hold. ``divisors`` are those
    of means, one f32 for each point. Results are clipped to the bounds ``low`` and ``high``.
    """
    builder = v.builder

    def accumulate(place: Any, j: int, factor: Any, before: Any) -> Any:
        value = v.unpacked(v.load(place, j, type=v.halves)) if wanted == MULTIPLY_BF16 else v.load(place, j)
        if factor is not None:
            return v.multiply_add(value, factor, before)
        return builder.fadd(value, before) if wanted == ADD else v.largest(value, before)

    for wanted, count, width in v.variants(blocks[:3], _variants(4, PIXELS)):
        masks = masks_of(v, channels, width)
        multiplies = wanted in (MULTIPLY, MULTIPLY_BF16)
        with v.times(blocks[3]) as block:
            here = _Block(v, builder.mul(block, v.constant(count)))
            given, added = (bias, here.rows(*summand)) if multiplies else (None, None)
            totals = begin(v, count, masks, given, added, float("-inf") if wanted == RAISE else 0.0)
            _for_each_tap(v, totals, here.moved(x), taps, weights if multiplies else None, accumulate)
            if wanted == ADD:
                sizes = v.beyond(divisors, here.first, 4)
                for i, pixel in enumerate(totals):
                    size = v.splat(builder.load(v.pointer(sizes, 4 * i, v.float), align=4))
                    for total in pixel:
                        builder.store(builder.fdiv(builder.load(total), size), total)
            targets = (here.rows(*out), None), (here.rows(*rounded), lambda: v.rounded)
            end(v, totals, masks, low, high, *targets[: 1 + multiplies])


@intrinsic("void", *several(4, 3), "int64", *several(2, 3), "int64", "int64", *several(3, 2, 2))
def reduce_bytes(
    v: Vectors,
    blocks: Any,
    x: Any,
    taps: Any,
    weights: Any,
    line: Any,
    channels: Any,
    numbers: Any,
    summand: Any,
    out: Any,
    levels: Any,
) -> None:
    """Reduce the windows of some points: sums of products, or the largest byte.

    ``channels`` and ``numbers`` are as in `dequantize_sums`, the others as in `reduce_points`, but ``weights`` are i16.
    ``line`` are the addresses of factors, biases, and of words that the sums begin with. A summand has two addresses,
    for f32 and for bytes.
    """
    builder = v.builder
    *summands, distance = summand
    *line, starts = line

    def accumulate(place: Any, j: int, factor: Any, before: Any) -> Any:
        value = v.load(place, j, type=v.bytes)
        if factor is None:
            return builder.select(builder.icmp_unsigned(">", value, before), value, before)
        product = builder.mul(builder.zext(value, v.words), builder.sext(factor, v.words))
        return builder.add(product, before)

    for kind, count, width in v.variants(blocks[:3], _variants(2, BYTE_PIXELS)):
        masks = masks_of(v, channels, width)
        with v.times(blocks[3]) as block:
            here = _Block(v, builder.mul(block, v.constant(count)))
            arrays = (*(here.rows(array, distance) for array in summands), here.rows(*out), here.rows(*levels))
            if kind == LARGEST:
                start = [ir.Constant(v.bytes, None)] * width
            else:
                start = [v.load(starts, j, type=v.words) for j in range(width)]
            totals = [[v.variable(each) for each in start] for _ in range(count)]
            used = None if kind == LARGEST else weights
            _for_each_tap(v, totals, here.moved(x), taps, used, accumulate, v.halves)
            if kind == SUM:
                sums = [[builder.load(total) for total in pixel] for pixel in totals]
                dequantize_sums(v, sums, line, channels, numbers, *arrays)
                continue
            for i, pixel in enumerate(totals):
                for j, total in enumerate(pixel):
                    v.store(builder.load(total), arrays[-1].row(i), j, masks[j])


class _Block:
    """Some points, from the ``first`` on, whose addresses are in tables."""

    def __init__(self, v: Vectors, first: Any) -> None:
        self.first = first
        self._v = v

    def moved(self, x: Any) -> Any:
        """The table of addresses of pixels, from the first point on."""
        return self._v.beyond(x[0], self.first, 8), *x[1:]

    def rows(self, table: Any, shift: Any) -> RowAddresses:
        """Rows some bytes behind the addresses in a table, which may be 0."""
        return RowAddresses(table, _shifted(self._v, self._v.beyond(table, self.first, 8), shift))


def _shifted(v: Vectors, table: Any, shift: Any) -> Callable[[int], Any]:
    """Emits addresses some bytes behind those in a table."""
    return lambda i: v.builder.add(v.load_long(table, 8 * i), shift)


def _for_each_tap(
    v: Vectors,
    totals: list[list[Any]],
    x: Any,
    taps: Any,
    weights: Any,
    accumulate: Callable[[Any, int, Any, Any], Any],
    type: Any = None,
) -> None:
    """Emit the loop over the taps of some pixels, whose variables are ``totals``.

    ``accumulate`` gets the address of a pixel, the number of a vector, weights for it or None, and the total before.
    ``type`` is that of vectors of weights, f32 if it is None.
    """
    builder = v.builder
    table, step, shift = x
    with v.times(taps) as tap:
        row = _shifted(v, v.beyond(table, tap, step), shift)
        at = None if weights is None else v.beyond(weights[0], tap, weights[1])
        factors = [None if at is None else v.load(at, j, type=type) for j in range(len(totals[0]))]
        for i, pixel in enumerate(totals):
            here = row(i)
            for j, (total, factor) in enumerate(zip(pixel, factors, strict=True)):
                builder.store(accumulate(here, j, factor, builder.load(total)), total)
