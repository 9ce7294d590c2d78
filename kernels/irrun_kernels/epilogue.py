"""The epilogue of products and windows: what is done to their sums before these are stored, and where they go.

Bias, summand, bounds and roundings are emitted in registers; a function of elements follows row by row, in the cache.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from irrun_kernels import ir
from irrun_kernels.conversions import AS_BITS, quantize_row, round_row
from irrun_kernels.functions import add, clip
from irrun_kernels.host import LANES
from irrun_kernels.native import NOWHERE, Address, Read, Write, floats, inlined, longs
from irrun_kernels.pixels import Images, find_points, find_rows, move
from irrun_kernels.scalars import apply_to_rows
from irrun_kernels.vectors import Vectors


class LevelNumbers(NamedTuple):
    """The f32 of the epilogue of integer sums: bounds, the maps to levels, and the numbers that levels stand for.

    A result is clipped to ``low`` and ``high``; its level is the integer from ``first`` to ``last``, the levels of
    these bounds, that is nearest to slope * result + shift. If ``between_slope`` is not 0, sums are first rounded to
    levels from 0 to ``between_most``, and become numbers again by a step and the number of level 0. A summand of bytes
    is multiplied by ``step``.
    """

    low: float = -np.inf
    high: float = np.inf
    slope: float = 0.0
    shift: float = 0.0
    first: float = 0.0
    last: float = 0.0
    step: float = 0.0
    between_slope: float = 0.0
    between_shift: float = 0.0
    between_most: float = 0.0
    between_step: float = 0.0
    between_low: float = 0.0


class IntegerEpilogueArguments(NamedTuple):
    """The part of an epilogue that makes f32 and bytes of integer sums.

    ``starts``, ``factors`` and ``biases`` are addresses of rows of ``padded`` columns, whole vectors, which are 0 for
    sums of floats; ``numbers`` is the address of `LevelNumbers`. Summands are f32, or bytes where their size is 1. The
    levels of what a function returns, 0 to ``most``, lie between ``low`` and ``high``, after a multiplication by the
    row at ``scales`` if that is not 0.
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
    scales: Read[Address] = NOWHERE


class Epilogue(NamedTuple):
    """function(clip(sum + bias + summand)), stored as f32, in bf16 or as levels, or as f32 and one of these.

    ``out``, ``rounded``, the result in bf16 or as levels, and ``summand`` have pixels of all columns; ``bias`` is one
    row. The ``function`` is one of `UNARY`, -1 for none. Without ``out``, what a function is applied to is in the
    workspace, and rows are ``out.pixel`` bytes apart.
    """

    out: Write[Images] = Images()
    rounded: Write[Images] = Images()
    summand: Read[Images] = Images()
    bias: Read[Address] = NOWHERE
    low: float = -np.inf
    high: float = np.inf
    function: int = -1
    alpha: float = 0.0
    beta: float = 0.0
    integers: IntegerEpilogueArguments = IntegerEpilogueArguments()


class RowAddresses(NamedTuple):
    """The rows of an array: ``row`` emits the address of one, unless ``start`` is 0, which stands for no array."""

    start: Any
    row: Callable[[int], Any]


def listed(v: Vectors, table: Any, first: Any = None) -> RowAddresses:
    """RowAddresses whose addresses are in a table, from the row with number ``first`` on."""
    place = table if first is None else v.beyond(table, first, 8)
    return RowAddresses(table, lambda i: v.load_long(place, 8 * i))


def spaced(v: Vectors, start: Any, step: Any) -> RowAddresses:
    """RowAddresses that are ``step`` bytes apart."""
    return RowAddresses(start, lambda i: v.beyond(start, step, i))


def masks_of(v: Vectors, columns: Any, width: int) -> list[Any]:
    """A mask for each vector of a row: None for all but the last."""
    return [*[None] * (width - 1), v.mask(v.builder.sub(columns, v.constant(LANES * (width - 1))))]


def begin(
    v: Vectors, count: int, masks: list[Any], bias: Any = None, summand: RowAddresses | None = None, first: float = 0.0
) -> list[list[Any]]:
    """Make the variables of the sums of ``count`` rows, which begin with bias and summand, or with a number."""
    starts = [v.variable(v.every(first)) for _ in masks]
    if bias is not None:
        with v.builder.if_then(v.is_given(bias)):
            for j, start in enumerate(starts):
                v.builder.store(v.load(bias, j, masks[j]), start)
    sums = [[v.variable(v.builder.load(start)) for start in starts] for _ in range(count)]
    if summand is not None:
        _add(v, sums, masks, summand)
    return sums


def _add(v: Vectors, sums: list[list[Any]], masks: list[Any], summand: RowAddresses) -> None:
    with v.builder.if_then(v.is_given(summand.start)):
        _replace(v, sums, lambda value, i, j: v.builder.fadd(value, v.load(summand.row(i), j, masks[j])))


def _replace(v: Vectors, sums: list[list[Any]], function: Callable[[Any, int, int], Any]) -> None:
    """Replace each vector by a function of it, of the number of its row, and of its number in the row."""
    for i, row in enumerate(sums):
        for j, place in enumerate(row):
            v.builder.store(function(v.builder.load(place), i, j), place)


Rounding = Callable[[], Callable[[Any], Any]]
"""Emits what is needed to round vectors, and returns the function that rounds one."""

Target = tuple[RowAddresses, Rounding | None]


def end(
    v: Vectors,
    sums: list[list[Any]],
    masks: list[Any],
    low: Any,
    high: Any,
    *targets: tuple[RowAddresses, Rounding | None],
) -> None:
    """Clip sums and store them in each of the targets, as they are or rounded."""
    least, most = v.splat(low), v.splat(high)
    # The operands are so ordered that NaN stays.
    _replace(v, sums, lambda value, _, __: v.largest(least, v.smallest(most, value)))
    for rows, rounding in targets:
        with v.builder.if_then(v.is_given(rows.start)):
            rounded = None if rounding is None else rounding()
            for i, row in enumerate(sums):
                address = rows.row(i)
                for j, place in enumerate(row):
                    value = v.builder.load(place)
                    v.store(value if rounded is None else rounded(value), address, j, masks[j])


def dequantize_sums(
    v: Vectors,
    values: list[list[Any]],
    line: Any,
    columns: Any,
    numbers: Any,
    summand: RowAddresses,
    summand_levels: RowAddresses,
    out: RowAddresses,
    levels: RowAddresses,
) -> None:
    """Apply the epilogue of integer sums, which are words or f32; ``line`` are the addresses of factors and biases."""
    builder, vectors = v.builder, len(values[0])
    masks = masks_of(v, columns, vectors)
    numbers_of_sums = ([builder.sitofp(x, v.vector) if x.type == v.words else x for x in row] for row in values)
    sums = [[v.variable(x) for x in row] for row in numbers_of_sums]

    def number(name: str) -> Any:
        return builder.load(v.pointer(numbers, 4 * LevelNumbers._fields.index(name), v.float), align=4)

    def level(value: Any, prefix: str = "") -> Any:
        return v.multiply_add(value, *(v.splat(number(f"{prefix}{name}")) for name in ("slope", "shift")))

    factor, bias = ([v.load(rows, j) for j in range(vectors)] for rows in line)
    _replace(v, sums, lambda value, _, j: v.multiply_add(value, factor[j], bias[j]))
    with builder.if_then(builder.fcmp_ordered("!=", number("between_slope"), ir.Constant(v.float, 0.0))):
        most, step, least = (v.splat(number(f"between_{name}")) for name in ("most", "step", "low"))

        def rounded(value: Any) -> Any:
            inside = v.smallest(v.largest(level(value, "between_"), v.every(0.0)), most)
            return v.multiply_add(v.integer(inside), step, least)

        _replace(v, sums, lambda value, _, __: rounded(value))
    _add(v, sums, masks, summand)
    with builder.if_then(v.is_given(summand_levels.start)):
        each = v.splat(number("step"))

        def added(value: Any, i: int, j: int) -> Any:
            return v.multiply_add(v.widened(v.load(summand_levels.row(i), j, masks[j], v.bytes)), each, value)

        _replace(v, sums, added)
    with builder.if_then(v.is_given(levels.start)):
        first, last = (v.splat(number(name)) for name in ("first", "last"))
        for i, row in enumerate(sums):
            address = levels.row(i)
            for j, place in enumerate(row):
                inside = v.smallest(v.largest(level(builder.load(place)), first), last)
                v.store(v.as_bytes(inside), address, j, masks[j])
    with builder.if_then(v.is_given(out.start)):
        end(v, sums, masks, number("low"), number("high"), (out, None))


_INFINITE: Final = np.float32(np.inf)


class Rows(NamedTuple):
    """The addresses of the addresses of the rows of a result, of it in another type, and of its summand; 0 for none."""

    out: int
    rounded: int
    summand: int


@inlined
def size_of_rounded(e: Any) -> int:
    """The bytes of an element of the result in another type."""
    return 2 if e.integers.padded == 0 else 1


@inlined
def find_results(e: Any, g: Any, column: int, first: int, count: int, points: int, sums: int, tables: int) -> Rows:
    """Write tables of the addresses of ``count`` points, from a column of them on; the last one is repeated.

    Without a result in f32, its rows are those of ``sums``, if there are any.
    """
    out, rounded, summand = tables, tables + 8 * points, tables + 16 * points
    if e.out.start != 0:
        find_points(g, e.out, 4 * column, first, count, points, out)
    elif sums != 0:
        find_rows(sums, e.out.pixel, count, points, out)
    if e.rounded.start != 0:
        find_points(g, e.rounded, size_of_rounded(e) * column, first, count, points, rounded)
    if e.summand.start != 0:
        find_points(g, e.summand, e.integers.summand_size * column, first, count, points, summand)
    return Rows(
        out if e.out.start != 0 or sums != 0 else 0,
        rounded if e.rounded.start != 0 else 0,
        summand if e.summand.start != 0 else 0,
    )


@inlined
def move_results(e: Any, rows: Any, count: int, columns: int) -> None:
    """Add columns to the addresses of ``count`` points; sums stay where they are."""
    if e.out.start != 0:
        move(rows.out, count, 4 * columns)
    if rows.rounded != 0:
        move(rows.rounded, count, size_of_rounded(e) * columns)
    if rows.summand != 0:
        move(rows.summand, count, e.integers.summand_size * columns)


@inlined
def add_and_clip(e: Any, x: Any, column: int, summand: int) -> None:
    """Add bias and summand to a row, which begins with a column, and clip it."""
    if e.bias != 0:
        add(x, floats(e.bias + 4 * column, len(x)))
    if summand != 0:
        add(x, floats(summand, len(x)))
    if e.low != -_INFINITE or e.high != _INFINITE:
        low, high = np.float32(e.low), np.float32(e.high)
        for i in range(len(x)):
            x[i] = clip(x[i], low, high)


@inlined
def activate(e: Any, x: int, step: int, rows: int, columns: int, workspace: int) -> None:
    """Replace rows that are ``step`` bytes apart by the function of an epilogue, if it has one."""
    if e.function >= 0:
        apply_to_rows(e.function, x, step, rows, columns, np.float32(e.alpha), np.float32(e.beta), workspace)


@inlined
def activate_points(e: Any, rows: Any, count: int, column: int, width: int, workspace: int) -> None:
    """Replace columns of points by the function of an epilogue, and store them rounded if there is such a result."""
    outs, targets = longs(rows.out, count), longs(rows.rounded, count)
    if outs[count - 1] - outs[0] == (count - 1) * e.out.pixel:
        activate(e, outs[0], e.out.pixel, count, width, workspace)
    else:
        for index in range(count):
            activate(e, outs[index], 4 * width, 1, width, workspace)
    if rows.rounded != 0:
        for index in range(count):
            store_rounded(e, outs[index], targets[index], column, width)


@inlined
def store_rounded(e: Any, x: int, out: int, first: int, columns: int) -> None:
    """Write some columns of a row in bf16, or their levels."""
    levels = e.integers
    if levels.padded == 0:
        round_row(AS_BITS, x, out, columns)
    else:
        low, high, most = np.float32(levels.low), np.float32(levels.high), np.float32(levels.most)
        scales = levels.scales + 4 * first if levels.scales != 0 else 0
        quantize_row(x, out, columns, low, high, most, scales)
