"""Chains of element-wise functions of any types, and reductions of their results."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from irrun_kernels.axes import Axes, find_indices, merge_axes, offset_of, row_of, walk_bytes
from irrun_kernels.copies import copy_line
from irrun_kernels.functions import RUN
from irrun_kernels.moves import copy_block
from irrun_kernels.native import NOWHERE, Address, Read, Write, inlined, kernel, longs, record
from irrun_kernels.scalars import apply, combine

CALL: Final = 6
"""Numbers of a call: the number of an element, and of the arrays of its result and of four operands."""

_ALIKE, _SAME, _OTHER = range(3)
"""Kinds of operands: as contiguous as the result, the same elements in each run, anything else."""


class Fold(NamedTuple):
    """A reduction of the results of a chain, which are [outer, reduced, inner], to [outer, inner].

    The function of two elements is one of `scalars.FOLDED`, -1 for none; it begins with the element at ``start``.
    Results are cut into ``parts`` along the reduced axis; those of each part are written behind those of others.
    """

    function: int = -1
    start: Address = NOWHERE
    outer: int = 1
    reduced: int = 1
    inner: int = 1
    parts: int = 1


class Chain(NamedTuple):
    """Arguments of `chain`, which computes ``elements`` elements of ``width`` bytes without gaps.

    ``operands`` is the address of an address, and the bytes of an element, for each of ``inputs`` inputs with ``axes``,
    which are read. ``calls`` is the address of `CALL` numbers for each function. The arrays they name are inputs, then
    the result, then ``blocks`` blocks of workspace. No call has an array for its result that is also one of its
    operands. A run is about `RUN` elements of each array, which take up to ``block`` bytes. The ``elements`` of a fold
    are `items_of` it.
    """

    out: Write[Address]
    width: int
    axes: Axes
    operands: Read[Address]
    inputs: int
    calls: Read[Address]
    functions: int
    blocks: int
    block: int
    elements: int
    per_task: int
    fold: Read[Fold] = Fold()


def workspace_of(rank: int, inputs: int, blocks: int, block: int) -> int:
    """The bytes of workspace: blocks, two of them for a fold, places and kinds of arrays, and axes."""
    return block * (inputs + blocks + 2) + 8 * (2 * inputs + 1 + blocks) + walk_bytes(rank, inputs)


@kernel(Chain)
def chain(arguments: Any, task: int, workspace: int) -> None:
    """Some runs of elements, or some of the items of a fold."""
    c = record(arguments)
    arrays, results = c.inputs + 1 + c.blocks, workspace + c.block * (c.inputs + c.blocks)
    sums, numbers, result = results + c.block, results + 2 * c.block, c.inputs if c.functions > 0 else 0
    places, kinds = longs(numbers, arrays), longs(numbers + 8 * arrays, c.inputs)
    walk = numbers + 8 * (arrays + c.inputs)
    axes = merge_axes(c.axes, c.inputs, walk)
    columns = max(1, row_of(c.axes, axes, 0, walk)[axes - 1])
    places[c.inputs] = results
    for number in range(c.blocks):
        places[c.inputs + 1 + number] = workspace + c.block * (c.inputs + number)
    first, last, is_fold = task * c.per_task, min(c.elements, (task + 1) * c.per_task), c.fold.function >= 0
    is_long = is_fold and c.fold.reduced * c.fold.inner > _FEW
    if is_fold and not is_long:
        out = c.out + c.width * first * c.fold.inner
        copy_line(c.width, c.fold.start, 0, out, c.width, (last - first) * c.fold.inner)
    for item in range(first, last if is_long else first + 1):
        start, end, step, most = first, last, RUN, RUN
        if is_long:
            start, end, step, most = _begin(c.fold, item, c.width, sums)
        elif is_fold:
            plane = c.fold.reduced * c.fold.inner
            start, end, step = first * plane, last * plane, max(1, RUN // max(1, plane) * plane)
            most = step
        elif columns <= RUN:
            step = RUN // columns * columns
            most = step
        for number in range(c.inputs):
            kinds[number] = _kind(c, axes, number, walk, step)
        for begin in range(start, end, step):
            count = min(most, end - begin)
            if not is_fold:
                places[c.inputs] = c.out + c.width * begin
            for number in range(c.inputs):
                kind = _OTHER if begin == start and kinds[number] == _SAME else kinds[number]
                places[number] = _read(c, axes, number, walk, kind, begin, count, places[number], workspace)
            for number in range(c.functions):
                call = longs(c.calls + 8 * CALL * number, CALL)
                x, y, z, w = places[call[2]], places[call[3]], places[call[4]], places[call[5]]
                apply(call[0], count, places[call[1]], x, y, z, w)
            if is_long:
                _combine_long(c.fold, c.width, count, places[result], sums)
            elif is_fold:
                row = begin // (c.fold.reduced * c.fold.inner)
                _combine_rows(c.fold, c.width, count, places[result], c.out + c.width * row * c.fold.inner)
        if is_long:
            _finish(c.fold, item, c.width, sums, c.out)


@inlined
def _kind(c: Any, axes: int, number: int, walk: int, step: int) -> int:
    """The kind of an input, for runs that begin ``step`` elements apart."""
    sizes, strides = row_of(c.axes, axes, 0, walk), row_of(c.axes, axes, number + 1, walk)
    width, last = longs(c.operands + 16 * number, 2)[1], axes - 1
    is_alike, is_same = True, strides[last] == 0 or step % max(1, sizes[last]) == 0
    for axis in range(last, -1, -1):
        is_alike = is_alike and (strides[axis] == width or sizes[axis] == 1)
        is_same = is_same and (strides[axis] == 0 or axis == last)
        width *= sizes[axis]
    return _ALIKE if is_alike else _SAME if is_same else _OTHER


@inlined
def _read(
    c: Any, axes: int, number: int, walk: int, kind: int, begin: int, count: int, before: int, workspace: int
) -> Any:
    """Return where the elements of a run of an input are without gaps; those of other kinds are copied to its block."""
    operand = longs(c.operands + 16 * number, 2)
    x, width = operand[0], operand[1]
    if kind == _ALIKE:
        return x + width * begin
    sizes, strides = row_of(c.axes, axes, 0, walk), row_of(c.axes, axes, number + 1, walk)
    indices, last, block = row_of(c.axes, axes, c.inputs + 1, walk)[: axes - 1], axes - 1, workspace + c.block * number
    columns, step, below, inner = sizes[last], strides[last - 1], sizes[last - 1], strides[last]
    if inner == width and begin % columns + count <= columns:
        find_indices(indices, sizes, begin // columns)
        return x + offset_of(indices, strides) + width * (begin % columns)
    if kind == _SAME:
        return before
    done = 0
    while done < count:
        column = (begin + done) % columns
        find_indices(indices, sizes, (begin + done) // columns)
        rows, wide = 1, min(count - done, columns - column)
        if column == 0:
            rows = max(1, min((count - done) // columns, below - indices[last - 1]))
        source, target = x + offset_of(indices, strides) + inner * column, block + width * done
        copy_block(width, source, step, inner, target, width * wide, width, rows, wide)
        done += rows * wide
    return block


_FEW: Final = RUN // 2
"""Elements of which one result, or a row of them, is made, if several are reduced at a time."""

_PARTIAL: Final = 64
"""Elements that are combined with others at a time, so that loops over them have vectors."""


def items_of(outer: int, reduced: int, inner: int, parts: int) -> int:
    """The items that tasks have parts of: rows of a result, or pieces of them, of which there are several parts."""
    return outer if reduced * inner <= _FEW else parts * outer * -(-inner // RUN)


@inlined
def _combine_rows(f: Any, width: int, count: int, x: int, out: int) -> None:
    """Reduce several times a few elements."""
    plane = f.reduced * f.inner
    if f.inner == 1:
        combine(f.function, count // plane, out, x, f.reduced, 1, f.reduced)
        return
    for row in range(count // plane):
        combine(f.function, f.inner, out + width * row * f.inner, x + width * row * plane, f.reduced, f.inner, 1)


@inlined
def _copies_of(f: Any) -> int:
    """The copies of a short row of results that are combined with elements at the same time, a power of two."""
    copies = 1
    while 2 * copies * f.inner <= _PARTIAL:
        copies *= 2
    return copies


@inlined
def _begin(f: Any, item: int, width: int, sums: int) -> Any:
    """The elements of a piece of a row of results: the first and the last, and the distance and the size of runs."""
    across = -(-f.inner // RUN)
    part, row, left = item // (f.outer * across), item // across % f.outer, item % across * RUN
    wide, copies = min(RUN, f.inner - left), _copies_of(f)
    copy_line(width, f.start, 0, sums, width, copies * wide)
    start = row * f.reduced + part * f.reduced // f.parts
    end = row * f.reduced + (part + 1) * f.reduced // f.parts
    rows = RUN // wide // copies * copies if across == 1 else 1
    return start * f.inner + left, end * f.inner, rows * f.inner, rows * wide


@inlined
def _combine_long(f: Any, width: int, count: int, x: int, sums: int) -> None:
    """Combine a run with partial results."""
    wide = min(count, f.inner)
    step = _copies_of(f) * wide
    whole = count // step
    combine(f.function, step, sums, x, whole, step, 1)
    combine(f.function, count - whole * step, sums, x + width * whole * step, 1, 0, 1)


@inlined
def _finish(f: Any, item: int, width: int, sums: int, out: int) -> None:
    """Combine the copies of partial results with each other, and write them."""
    across = -(-f.inner // RUN)
    row, left = item // across, item % across * RUN
    wide, copies = min(RUN, f.inner - left), _copies_of(f)
    while copies > 1:
        copies //= 2
        combine(f.function, copies * wide, sums, sums + width * copies * wide, 1, 0, 1)
    copy_line(width, sums, width, out + width * (row * f.inner + left), width, wide)
