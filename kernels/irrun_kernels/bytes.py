"""The micro-kernel of products of bytes: a tile of sums of 32 bits, which become f32 or bytes before they are stored.

Left factors are bytes without sign, right factors with sign. Four bytes of a row meet four of a column at a time: all
that a product of f32 does to an element is done to such a word.
"""

from __future__ import annotations

from typing import Any

from irrun_kernels.amx import tiles
from irrun_kernels.amx_product import AT_ONCE, POINTS, multiplied
from irrun_kernels.backends import HAS_BYTE_TILES
from irrun_kernels.epilogue import dequantize_sums, listed
from irrun_kernels.host import BYTES
from irrun_kernels.micro import ON_TILES, VARIANTS, accumulate
from irrun_kernels.native import intrinsic, several
from irrun_kernels.vectors import Vectors


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
