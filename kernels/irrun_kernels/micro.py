"""The micro-kernel of all products: a tile of a result kept in vector registers, written as LLVM vectors.

One generator makes it for every instruction set: a tile has as many rows as the registers hold. The rows of the left
factor are given by their addresses, so that the same code multiplies matrices and convolves images without copying
windows; the right factor is packed in panels. A word of two bf16 can take the place of an f32 in both factors: all that
a product of f32 does to an element is done to such a word.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from irrun_kernels.amx import tiles
from irrun_kernels.amx_product import AT_ONCE, POINTS, multiplied
from irrun_kernels.backends import HAS_BF16_TILES, HAS_BYTE_TILES
from irrun_kernels.epilogue import begin, dequantize_sums, end, listed, masks_of
from irrun_kernels.host import BYTES, LANES, REGISTERS
from irrun_kernels.native import inlined, intrinsic, several
from irrun_kernels.pixels import move
from irrun_kernels.vectors import Vectors

VECTORS: Final = 4 if REGISTERS == 32 else 2
"""Vectors of a full panel of the right factor."""

ROWS: Final = {width: (REGISTERS - 8) // width if REGISTERS == 32 else 12 // width for width in range(1, VECTORS + 1)}
"""Rows of a tile, for each number of vectors in a panel."""
if REGISTERS == 32:
    ROWS[1] = 12

PANEL: Final = LANES * VECTORS
"""Columns of a full panel."""


FEW_ROWS: Final = 4
"""Rows of a tile where there are few, or more rows would not be full."""

VARIANTS: Final = (
    *((rows, width) for most, rows in ROWS.items() for width in range(1, most + 1) if most > 1 or rows != ROWS[2]),
    *((rows, width) for rows in (FEW_ROWS, 1) for width in range(1, VECTORS + 1)),
)
"""The rows and vectors of all tiles that there are."""


ON_TILES: Final = tuple((POINTS, width) for width in range(1, VECTORS + 1))
"""The rows and vectors of what tiles of AMX compute."""

_KINDS: Final = (
    *((*variant, bf16) for bf16 in (0, 1) for variant in VARIANTS),
    *((*variant, 1) for variant in ON_TILES if HAS_BF16_TILES),
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

    def rounding() -> Any:
        return v.rounded

    for count, width, is_bf16 in v.variants(variant, _KINDS):
        masks = masks_of(v, columns, width)
        if count == POINTS:
            used = tiles(v)
            for first, here in multiplied(v, used, used.multiply_bf16, width, extent, left, panel[0], ahead):
                sums = begin(v, AT_ONCE, masks, bias, listed(v, summand, first))
                targets = (listed(v, out, first), None), (listed(v, rounded, first), rounding)
                for number, total in enumerate(total for row in sums for total in row):
                    v.builder.store(v.builder.fadd(v.builder.load(total), v.load(here, number)), total)
                end(v, sums, masks, low, high, *targets)
            continue
        sums = begin(v, count, masks, bias, listed(v, summand))
        multiply_add, type = (v.multiply_bf16, v.words) if is_bf16 else (v.multiply_add, v.vector)
        accumulate(v, multiply_add, type, sums, extent, left, panel, ahead)
        end(v, sums, masks, low, high, (listed(v, out), None), (listed(v, rounded), rounding))


@inlined
def multiply_rows(
    tile: int, bf16: int, left: int, rows: int, depth: int, panel: int, step: int, out: int, added: int, columns: int
) -> None:
    """Multiply rows with a panel, tile by tile.

    ``left``, ``out`` and ``added``, which may be 0, are addresses of the addresses of rows, in whole tiles. With
    ``bf16``, elements are words of two bf16, and ``depth`` counts these. ``step`` are the bytes between the rows of
    the panel.
    """
    vectors = -(-columns // LANES)
    low, high = np.float32(-np.inf), np.float32(np.inf)
    for first in range(0, 8 * rows, 8 * tile):
        results = (out + first, 0, added + first if added != 0 else 0)
        variant, here = (tile, vectors, bf16), (left + first, 0)
        multiply_taps(variant, (1, depth), here, (panel, step), (panel, 0), 0, results, columns, low, high)


@inlined
def multiply_panels(
    tile: int,
    vectors: int,
    bf16: int,
    left: int,
    rows: int,
    depth: int,
    panels: int,
    step: int,
    out: int,
    added: int,
    columns: int,
) -> None:
    """Multiply rows with a matrix: packed in panels, or with ``step`` bytes between its rows, which are whole vectors.

    The others are as in `multiply_rows`. ``added`` may be ``out``; the addresses in both are moved meanwhile.
    """
    full = vectors * LANES
    for column in range(0, columns, full):
        width = min(columns - column, full)
        panel = panels + 4 * column if step else panels + 4 * column * depth
        panel_step = step if step else 4 * -(-width // LANES) * LANES
        multiply_rows(tile, bf16, left, rows, depth, panel, panel_step, out, added, width)
        move(out, rows, 4 * full)
        if added not in (0, out):
            move(added, rows, 4 * full)
    back = -4 * full * -(-columns // full)
    move(out, rows, back)
    if added not in (0, out):
        move(added, rows, back)


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
        begin = v.beyond(left[0], outer, left[1])
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


@intrinsic("void", *several(2, 2, 2), "int64", *several(2, 3), "int64", "int64", *several(4))
def multiply_bytes(
    v: Vectors,
    variant: Any,
    extent: Any,
    left: Any,
    panel: Any,
    ahead: Any,
    sides: Any,
    columns: Any,
    numbers: Any,
    results: Any,
) -> None:
    """Compute a tile of clip(sum * factor + bias + summand), and its levels.

    The first five are as in `multiply_taps`, but the panel has no gaps. ``sides`` are the addresses of starts, factors
    and biases, rows for whole vectors: what the sums begin with, and f32. ``numbers`` is the address of `LevelNumbers`.
    ``results`` are addresses of addresses of rows, or 0: f32 to add, bytes to add, the result in f32, and its levels.
    So many ``columns`` of them are written.
    """
    builder = v.builder
    starts, *line = sides
    for count, width in v.variants(variant, (*VARIANTS, *(ON_TILES if HAS_BYTE_TILES else ()))):
        start = [v.load(starts, j, type=v.words) for j in range(width)]
        if count == POINTS:
            used = tiles(v)
            for first, here in multiplied(v, used, used.multiply_bytes, width, extent, left, panel, ahead):
                loaded = [[v.load(here, i * width + j, type=v.words) for j in range(width)] for i in range(AT_ONCE)]
                sums = [[builder.add(*pair) for pair in zip(start, row, strict=True)] for row in loaded]
                dequantize_sums(v, sums, line, columns, numbers, *(listed(v, table, first) for table in results))
            continue
        places = [[v.variable(one) for one in start] for _ in range(count)]
        step = v.constant(BYTES * width)
        accumulate(v, v.multiply_bytes, v.words, places, extent, left, (panel, step), ahead)
        sums = [[builder.load(place) for place in row] for row in places]
        dequantize_sums(v, sums, line, columns, numbers, *(listed(v, table) for table in results))
