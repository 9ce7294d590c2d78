"""The micro-kernel of products of bytes: a tile of sums of 32 bits, which become f32 or bytes before they are stored.

Left factors are bytes without sign, right factors with sign. Four bytes of a row meet four of a column at a time: all
that a product of f32 does to an element is done to such a word.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from irrun_kernels import ir
from irrun_kernels.amx import tiles
from irrun_kernels.amx_product import AT_ONCE, POINTS, multiplied
from irrun_kernels.backends import HAS_BYTE_TILES
from irrun_kernels.host import BYTES
from irrun_kernels.micro import ON_TILES, VARIANTS, Rows, accumulate, listed, masks_of
from irrun_kernels.native import NOWHERE, Address, Read, intrinsic, several
from irrun_kernels.vectors import Vectors


class Numbers(NamedTuple):
    """The f32 that an epilogue needs: bounds, the maps to levels, and the numbers that levels stand for.

    A result is clipped to ``low`` and ``high``; its level is the integer from 0 to ``most`` that is nearest to slope *
    result + shift. If ``between_slope`` is not 0, sums are first rounded likewise, and become numbers again by a step
    and the number of level 0. A summand of bytes is multiplied by ``step``.
    """

    low: float = -np.inf
    high: float = np.inf
    slope: float = 0.0
    shift: float = 0.0
    most: float = 0.0
    step: float = 0.0
    between_slope: float = 0.0
    between_shift: float = 0.0
    between_most: float = 0.0
    between_step: float = 0.0
    between_low: float = 0.0


class Requantization(NamedTuple):
    """Arguments of kernels that make f32 and bytes of integer sums.

    ``starts``, ``factors`` and ``biases`` are addresses of rows of ``padded`` columns, whole vectors; ``numbers`` is
    that of `Numbers`. Summands are f32, or bytes where their size is 1. The levels of what a function returns, 0 to
    ``most``, lie between ``low`` and ``high``.
    """

    starts: Read[Address] = NOWHERE
    factors: Read[Address] = NOWHERE
    biases: Read[Address] = NOWHERE
    padded: int = 0
    numbers: Read[Address] = NOWHERE
    summand_size: int = 4
    low: float = 0.0
    high: float = 0.0
    most: float = 0.0


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
    and biases, rows for whole vectors: what the sums begin with, and f32. ``numbers`` is the address of `Numbers`.
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
                _finish_words(v, sums, line, columns, numbers, [listed(v, table, first) for table in results])
            continue
        places = [[v.variable(one) for one in start] for _ in range(count)]
        step = v.constant(BYTES * width)
        accumulate(v, v.multiply_bytes, v.words, places, extent, left, (panel, step), ahead)
        sums = [[builder.load(place) for place in row] for row in places]
        _finish_words(v, sums, line, columns, numbers, [listed(v, table) for table in results])


def _finish_words(v: Vectors, sums: list[list[Any]], line: Any, columns: Any, numbers: Any, rows: list[Rows]) -> None:
    results = [[v.variable(v.builder.sitofp(value, v.vector)) for value in row] for row in sums]
    finish(v, results, line, columns, numbers, *rows)


def finish(
    v: Vectors,
    results: list[list[Any]],
    line: Any,
    columns: Any,
    numbers: Any,
    summand: Rows,
    summand_codes: Rows,
    out: Rows,
    codes: Rows,
) -> None:
    """Apply the epilogue to sums; ``line`` are the addresses of factors and biases."""
    builder, vectors = v.builder, len(results[0])
    masks = masks_of(v, columns, vectors)

    def number(name: str) -> Any:
        return builder.load(v.pointer(numbers, 4 * Numbers._fields.index(name), v.float), align=4)

    def replace(function: Callable[[Any, int, int], Any]) -> None:
        for i, result in enumerate(results):
            for j, value in enumerate(result):
                builder.store(function(builder.load(value), i, j), value)

    factor, bias = ([v.load(rows, j) for j in range(vectors)] for rows in line)
    replace(lambda value, _, j: v.multiply_add(value, factor[j], bias[j]))
    with builder.if_then(builder.fcmp_ordered("!=", number("between_slope"), ir.Constant(v.float, 0.0))):
        slope, shift, most, each, least = (v.splat(number(f"between_{name}")) for name in _BETWEEN)
        replace(
            lambda value, _, __: v.multiply_add(
                v.widened(v.nearest(v.multiply_add(value, slope, shift), most)), each, least
            )
        )
    with builder.if_then(v.is_given(summand.start)):
        replace(lambda value, i, j: builder.fadd(value, v.load(summand.row(i), j, masks[j])))
    with builder.if_then(v.is_given(summand_codes.start)):
        step = v.splat(number("step"))
        replace(
            lambda value, i, j: v.multiply_add(
                v.widened(v.load(summand_codes.row(i), j, masks[j], v.bytes)), step, value
            )
        )
    low, high = v.splat(number("low")), v.splat(number("high"))
    # The operands are so ordered that NaN stays.
    replace(lambda value, _, __: v.largest(low, v.smallest(high, value)))
    for rows in (out, codes):
        with builder.if_then(v.is_given(rows.start)):
            if rows is codes:
                by, to, last = (v.splat(number(name)) for name in ("slope", "shift", "most"))
            for i, result in enumerate(results):
                address = rows.row(i)
                for j, place in enumerate(result):
                    value = builder.load(place)
                    level = v.nearest(v.multiply_add(value, by, to), last) if rows is codes else value
                    v.store(level, address, j, masks[j])


_BETWEEN: Final = ("slope", "shift", "most", "step", "low")


@intrinsic("void", *["int64"] * 3, *["float32"] * 3)
def quantize_row(v: Vectors, x: Any, out: Any, count: Any, low: Any, high: Any, most: Any) -> None:
    """Write the levels, from 0 to ``most``, of ``count`` f32 from ``low`` to ``high`` as bytes."""
    builder = v.builder
    least, largest, steps = v.splat(low), v.splat(high), v.splat(most)
    span = v.splat(builder.fsub(high, low))

    def level(value: Any) -> Any:
        above = builder.fsub(v.smallest(v.largest(value, least), largest), least)
        return v.nearest(builder.fmul(builder.fdiv(above, span), steps), steps)

    v.for_each_vector(count, lambda number, mask: _convert(v, x, out, number, mask, v.vector, v.bytes, level))


@intrinsic("void", *["int64"] * 3, *["float32"] * 3)
def dequantize_row(v: Vectors, codes: Any, out: Any, count: Any, low: Any, span: Any, most: Any) -> None:
    """Write level / most * span + low for ``count`` bytes."""
    builder = v.builder
    least, whole, steps = v.splat(low), v.splat(span), v.splat(most)

    def number(bytes: Any) -> Any:
        return builder.fadd(builder.fmul(builder.fdiv(v.widened(bytes), steps), whole), least)

    v.for_each_vector(count, lambda place, mask: _convert(v, codes, out, place, mask, v.bytes, v.vector, number))


def _convert(v: Vectors, x: Any, out: Any, number: Any, mask: Any, source: Any, target: Any, function: Any) -> None:
    """Apply a function to the vector whose first element has this number."""
    places = []
    for start, type in ((x, source), (out, target)):
        size = v.constant(1 if type == v.bytes else 4)
        places.append(v.builder.add(start, v.builder.mul(number, size)))
    v.store(function(v.load(places[0], 0, mask, source)), places[1], 0, mask)
