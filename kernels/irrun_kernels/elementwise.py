"""Chains of element-wise functions of any types, and reductions of their results."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from irrun_kernels.copies import copy_rows
from irrun_kernels.elements import Elements, Step, of_width, unsigned
from irrun_kernels.folds import combine
from irrun_kernels.functions import RUN
from irrun_kernels.native import NOWHERE, Address, Read, Write, inlined, kernel, longs, record
from irrun_kernels.scalars import apply

CALL: Final = 6
"""Numbers of a call: the number of an element, and of the arrays of its result and of four operands."""

_ALIKE, _SCALAR, _ROW, _OTHER = range(4)
"""Kinds of operands: as contiguous as the result, one element, the same row everywhere, anything else."""


class Fold(NamedTuple):
    """A reduction of the results of a chain, which are [outer, reduced, inner], to [outer, inner].

    The function of two elements is one of `folds.FOLDED`, -1 for none; it begins with the element at ``start``.
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

    ``shape`` is the address of the sizes of ``axes`` axes, ``operands`` that of an address, the bytes of an element,
    and strides in bytes for each of ``inputs`` inputs, which are read. ``calls`` is the address of `CALL` numbers for
    each function. The arrays they name are inputs, then the result, then ``blocks`` blocks of workspace. No call has an
    array for its result that is also one of its operands. A run is about `RUN` elements of each array. In workspace,
    there are `numbers_of` numbers, and then a block of ``block`` bytes for each input and each further block, and two
    for a fold. The ``elements`` of a fold are `items_of` it.
    """

    out: Write[Address]
    width: int
    shape: Read[Address]
    axes: int
    operands: Read[Address]
    inputs: int
    calls: Read[Address]
    functions: int
    blocks: int
    block: int
    numbers: int
    elements: int
    per_task: int
    fold: Read[Fold] = Fold()


def numbers_of(axes: int, inputs: int, blocks: int) -> int:
    """Return how many numbers there are: places of arrays, kinds of inputs, and merged axes, in whole cache lines."""
    return -(-(inputs + 1 + blocks + inputs + (axes + 1) * (inputs + 1)) // 8) * 8


@kernel(Chain)
def chain(arguments: Any, task: int, workspace: int) -> None:
    """Some runs of elements, or some of the items of a fold."""
    c = record(arguments)
    arrays = c.inputs + 1 + c.blocks
    places = longs(workspace, arrays)
    kinds = longs(workspace + 8 * arrays, c.inputs)
    merged = workspace + 8 * (arrays + c.inputs)
    axes = _merge(c, merged)
    sizes = longs(merged, axes)
    columns = max(1, sizes[axes - 1])
    for number in range(c.inputs):
        kinds[number] = _kind(c, sizes, longs(merged + 8 * (c.axes + 1) * (number + 1), axes), number)
    blocks = workspace + 8 * c.numbers
    for number in range(c.blocks):
        places[c.inputs + 1 + number] = blocks + c.block * (c.inputs + number)
    results = blocks + c.block * (c.inputs + c.blocks)
    sums, result = results + c.block, c.inputs if c.functions > 0 else 0
    first, last, is_fold = task * c.per_task, min(c.elements, (task + 1) * c.per_task), c.fold.function >= 0
    is_long = is_fold and c.fold.reduced * c.fold.inner > _FEW
    if is_fold:
        places[c.inputs] = results
    if is_fold and not is_long:
        _copy(c.width, c.fold.start, 0, 0, c.out + c.width * first * c.fold.inner, 1, (last - first) * c.fold.inner)
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
        for begin in range(start, end, step):
            count = min(most, end - begin)
            if not is_fold:
                places[c.inputs] = c.out + c.width * begin
            for number in range(c.inputs):
                operand = longs(c.operands + 8 * (c.axes + 2) * number, 2)
                strides = longs(merged + 8 * (c.axes + 1) * (number + 1), axes)
                block = blocks + c.block * number
                kind, inner, column = kinds[number], strides[axes - 1], begin % columns
                if kind == _ALIKE:
                    places[number] = operand[0] + operand[1] * begin
                elif kind != _SCALAR and inner == operand[1] and column + count <= columns:
                    places[number] = operand[0] + _offset(sizes, strides, begin // columns) + inner * column
                elif begin == start or is_fold or kind == _OTHER or (kind == _ROW and columns > RUN):
                    places[number] = block
                    if kind == _SCALAR:
                        _copy(operand[1], operand[0], 0, 0, block, 1, count)
                    else:
                        _collect(operand[0], operand[1], sizes, strides, begin, count, block)
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
    _copy(width, f.start, 0, 0, sums, 1, copies * wide)
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
    _copy(width, sums, 0, width, out + width * (row * f.inner + left), 1, wide)


@inlined
def _merge(c: Any, merged: int) -> int:
    """Write sizes, and strides of each input, with neighbouring axes as one where all arrays allow it."""
    shape = longs(c.shape, c.axes)
    sizes = longs(merged, c.axes + 1)
    count = 0
    for axis in range(c.axes):
        size = shape[axis]
        if size == 1:
            continue
        joins = count > 0
        for number in range(c.inputs):
            stride = longs(c.operands + 8 * ((c.axes + 2) * number + 2), c.axes)[axis]
            last = longs(merged + 8 * (c.axes + 1) * (number + 1), c.axes + 1)
            joins = joins and last[count - 1] == stride * size
        if not joins:
            count += 1
            sizes[count - 1] = 1
        sizes[count - 1] *= size
        for number in range(c.inputs):
            stride = longs(c.operands + 8 * ((c.axes + 2) * number + 2), c.axes)[axis]
            longs(merged + 8 * (c.axes + 1) * (number + 1), c.axes + 1)[count - 1] = stride
    if count == 0:
        for number in range(c.inputs + 1):
            longs(merged + 8 * (c.axes + 1) * number, c.axes + 1)[0] = 1 if number == 0 else 0
        count = 1
    return count


@inlined
def _kind(c: Any, sizes: Any, strides: Any, number: int) -> int:
    """The way in which an input broadcasts to the result."""
    width = longs(c.operands + 8 * (c.axes + 2) * number, 2)[1]
    axes = len(sizes)
    is_alike, is_row = True, True
    for axis in range(axes - 1, -1, -1):
        is_alike = is_alike and strides[axis] == width
        is_row = is_row and (axis == axes - 1 or strides[axis] == 0)
        width *= sizes[axis]
    if is_alike:
        return _ALIKE
    if not is_row:
        return _OTHER
    return _SCALAR if strides[axes - 1] == 0 else _ROW


@inlined
def _offset(sizes: Any, strides: Any, row: int) -> int:
    """The bytes in front of a row of an input."""
    offset = 0
    for axis in range(len(sizes) - 2, -1, -1):
        offset += row % sizes[axis] * strides[axis]
        row //= sizes[axis]
    return offset


@inlined
def _collect(x: int, width: int, sizes: Any, strides: Any, begin: int, count: int, out: int) -> None:
    """Concatenate elements of an input."""
    columns, inner = sizes[len(sizes) - 1], strides[len(sizes) - 1]
    below = sizes[len(sizes) - 2] if len(sizes) > 1 else 1
    step = strides[len(sizes) - 2] if len(sizes) > 1 else 0
    done = 0
    while done < count:
        row, column = (begin + done) // columns, (begin + done) % columns
        rows, wide = 1, min(count - done, columns - column)
        if column == 0:
            rows = max(1, min((count - done) // columns, below - row % below))
        source, target = x + _offset(sizes, strides, row) + inner * column, out + width * done
        if width == 4 and inner == 4:
            copy_rows(source, step, target, 4 * wide, rows, wide)
        else:
            _copy(width, source, step, inner, target, rows, wide)
        done += rows * wide


@of_width
def _copy(x: Elements, row: Step, step: Step, out: Elements, rows: int, columns: int) -> None:
    """Copy elements that are ``step`` apart, in rows that are ``row`` apart."""
    for number in range(rows):
        begin, target = number * row, number * columns
        if step == 0:
            value = x[unsigned(begin)]
            for i in range(columns):
                out[unsigned(target + i)] = value
        else:
            for i in range(columns):
                out[unsigned(target + i)] = x[unsigned(begin + i * step)]
