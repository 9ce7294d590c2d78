"""The micro-kernel of all products: a tile of a result kept in vector registers, written as LLVM vectors.

One generator makes it for every instruction set: a tile has as many rows as the registers hold. The rows of the left
factor are given by their addresses, so that the same code multiplies matrices and convolves images without copying
windows; the right factor is packed in panels. A word of two bf16 can take the place of an f32 in both factors: all that
a product of f32 does to an element is done to such a word.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np

from irrun_kernels.amx import tiles
from irrun_kernels.amx_product import AT_ONCE, POINTS, multiplied
from irrun_kernels.backends import HAS_HALF_TILES
from irrun_kernels.host import LANES, REGISTERS
from irrun_kernels.native import inlined, intrinsic, several
from irrun_kernels.vectors import Vectors

VECTORS: Final = 4 if REGISTERS == 32 else 2
"""Vectors of a full panel of the right factor."""

ROWS: Final = {width: (REGISTERS - 8) // width if REGISTERS == 32 else 12 // width for width in range(1, VECTORS + 1)}
"""Rows of a tile, for each number of vectors in a panel."""
if REGISTERS == 32:
    ROWS[1] = 12

PANEL: Final = LANES * VECTORS
"""Columns of a full panel."""


VARIANTS: Final = (
    *((rows, width) for most, rows in ROWS.items() for width in range(1, most + 1) if most > 1 or rows != ROWS[2]),
    *((1, width) for width in range(1, VECTORS + 1)),
)
"""The rows and vectors of all tiles that there are."""


ON_TILES: Final = tuple((POINTS, width) for width in range(1, VECTORS + 1))
"""The rows and vectors of what tiles of AMX compute."""

_KINDS: Final = (
    *((*variant, halves) for halves in (0, 1) for variant in VARIANTS),
    *((*variant, 1) for variant in ON_TILES if HAS_HALF_TILES),
)
"""Tiles of products of f32, and of bf16."""


@intrinsic("void", *several(3, 2, 2, 2, 2), "int64", *several(3), "int64", "float32", "float32")
def multiply_taps(
    v: Vectors,
    variant: Any,
    extent: Any,
    left: Any,
    panel: Any,
    ahead: Any,
    bias: Any,
    results: Any,
    columns: Any,
    low: Any,
    high: Any,
) -> None:
    """Compute a tile of a result, clipped to the bounds ``low`` and ``high``.

    ``variant`` is one of `VARIANTS`, rows and vectors, and 1 for words of two bf16 in place of f32. ``extent`` is the
    number of taps, and that of f32 or words in each. ``left`` is the address of the addresses of the rows of the left
    factor, and the bytes from those of one tap to those of the next; ``panel`` the address of the right factor
    [taps * depth, vectors], and the bytes between its rows. Memory from the first of ``ahead`` on is prefetched into
    the L2 cache, the second of bytes for each row of the panel. ``bias`` is the address of what is added to each
    row, or 0. ``results`` are addresses of the addresses of the rows of the result, of the result in bf16, and of what
    is added to them, or 0; they have so many ``columns``: the last vector may be partial.

    Tiles of AMX compute `POINTS` rows. Then ``left`` is the address of the first row of the left factor and the bytes
    between rows, which hold all taps, and ``extent`` the number of rows that are stored, and the depth of the panel.
    """
    out, rounded, summand = results
    for count, width, is_half in v.variants(variant, _KINDS):
        masks = masks_of(v, columns, width)
        if count == POINTS:
            used = tiles(v)
            for first, here in multiplied(v, used, used.multiply_halves, width, extent, left, panel[0], ahead):
                sums = begin(v, AT_ONCE, masks, bias, listed(v, summand, first))
                for number, total in enumerate(total for row in sums for total in row):
                    v.builder.store(v.builder.fadd(v.builder.load(total), v.load(here, number)), total)
                end(v, sums, masks, low, high, listed(v, out, first), listed(v, rounded, first))
            continue
        sums = begin(v, count, masks, bias, listed(v, summand))
        multiply_add, type = (v.multiply_halves, v.words) if is_half else (v.multiply_add, v.vector)
        accumulate(v, multiply_add, type, sums, extent, left, panel, ahead)
        end(v, sums, masks, low, high, listed(v, out), listed(v, rounded))


class Rows(NamedTuple):
    """The rows of an array: ``row`` emits the address of one, unless ``start`` is 0, which stands for no array."""

    start: Any
    row: Callable[[int], Any]


def listed(v: Vectors, table: Any, first: Any = None) -> Rows:
    """Rows whose addresses are in a table, from the row with number ``first`` on."""

    def row(i: int) -> Any:
        place = table if first is None else v.builder.add(table, v.builder.mul(first, v.constant(8)))
        return v.load_long(place, 8 * i)

    return Rows(table, row)


def masks_of(v: Vectors, columns: Any, width: int) -> list[Any]:
    """A mask for each vector of a row: None for all but the last."""
    return [*[None] * (width - 1), v.mask(v.builder.sub(columns, v.constant(LANES * (width - 1))))]


def begin(v: Vectors, count: int, masks: list[Any], bias: Any, summand: Rows) -> list[list[Any]]:
    """Make the variables of the sums of some rows, which begin with bias and summand."""
    builder = v.builder
    starts = [v.variable(v.every(0.0)) for _ in masks]
    with builder.if_then(v.is_given(bias)):
        for j, start in enumerate(starts):
            builder.store(v.load(bias, j, masks[j]), start)
    sums = [[v.variable(builder.load(start)) for start in starts] for _ in range(count)]
    with builder.if_then(v.is_given(summand.start)):
        for i, row in enumerate(sums):
            address = summand.row(i)
            for j, total in enumerate(row):
                builder.store(builder.fadd(builder.load(total), v.load(address, j, masks[j])), total)
    return sums


def end(v: Vectors, sums: list[list[Any]], masks: list[Any], low: Any, high: Any, out: Rows, rounded: Rows) -> None:
    """Clip sums and store them, as f32, in bf16, or both."""
    least, most = v.splat(low), v.splat(high)
    # The operands are so ordered that NaN stays.
    results = [[v.largest(least, v.smallest(most, v.builder.load(total))) for total in row] for row in sums]
    for table in (out, rounded):
        with v.builder.if_then(v.is_given(table.start)):
            for i, row in enumerate(results):
                address = table.row(i)
                for j, value in enumerate(row):
                    v.store(v.rounded(value) if table is rounded else value, address, j, masks[j])


AS_BITS: Final = 0
AS_FLOATS: Final = 1
AS_F16: Final = 2
"""Forms of rounded numbers: the bits of bf16, or f32 that bf16 or f16 hold."""


@intrinsic("void", *["int64"] * 4)
def round_row(v: Vectors, form: Any, x: Any, out: Any, count: Any) -> None:
    """Write ``count`` rounded f32 in one of the forms."""
    for (number,) in v.variants((form,), ((AS_BITS,), (AS_FLOATS,), (AS_F16,))):
        v.for_each_vector(count, partial(_round_vector, v, number, x, out))


def _round_vector(v: Vectors, form: int, x: Any, out: Any, first: Any, mask: Any) -> None:
    """Round the vector whose first element has this number."""
    value = v.load(v.builder.add(x, v.builder.mul(first, v.constant(4))), 0, mask)
    rounded = v.rounded_to_f16(value) if form == AS_F16 else v.rounded(value)
    size = v.constant(2 if form == AS_BITS else 4)
    place = v.builder.add(out, v.builder.mul(first, size))
    v.store(v.unpacked(rounded) if form == AS_FLOATS else rounded, place, 0, mask)


@inlined
def multiply_rows(
    tile: int, halves: int, left: int, rows: int, depth: int, panel: int, step: int, out: int, added: int, columns: int
) -> None:
    """Multiply rows with a panel, tile by tile.

    ``left``, ``out`` and ``added``, which may be 0, are addresses of the addresses of rows, in whole tiles. With
    ``halves``, elements are words of two bf16, and ``depth`` counts these. ``step`` are the bytes between the rows of
    the panel.
    """
    vectors = -(-columns // LANES)
    low, high = np.float32(-np.inf), np.float32(np.inf)
    for first in range(0, 8 * rows, 8 * tile):
        results = (out + first, 0, added + first if added != 0 else 0)
        variant, here = (tile, vectors, halves), (left + first, 0)
        multiply_taps(variant, (1, depth), here, (panel, step), (panel, 0), 0, results, columns, low, high)


def accumulate(
    v: Vectors,
    multiply_add: Callable[[Any, Any, Any], Any],
    type: Any,
    sums: list[list[Any]],
    extent: Any,
    left: Any,
    panel: Any,
    ahead: Any,
) -> None:
    """Add the products of the rows of the left factor and a panel to the sums of a tile.

    ``type`` is that of the vectors of the panel; the elements of the left factor are as wide as those of a vector.
    """
    builder = v.builder
    taps, depth = extent
    place, fetched = v.variable(panel[0]), v.variable(ahead[0])
    with v.times(taps) as outer:
        begin = builder.add(left[0], builder.mul(outer, left[1]))
        rows = [v.load_long(begin, 8 * i) for i in range(len(sums))]
        addresses = [builder.inttoptr(row, type.element.as_pointer()) for row in rows]
        with v.times(depth) as inner:
            here, next_one = builder.load(place), builder.load(fetched)
            right = [v.load(here, j, type=type) for j in range(len(sums[0]))]
            builder.store(builder.add(here, panel[1]), place)
            v.prefetch(next_one)
            builder.store(builder.add(next_one, ahead[1]), fetched)
            for address, row in zip(addresses, sums, strict=True):
                value = v.spread(builder.load(builder.gep(address, [inner]), align=1), type)
                for factor, total in zip(right, row, strict=True):
                    builder.store(multiply_add(value, factor, builder.load(total)), total)
