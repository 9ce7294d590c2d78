"""Chains of element-wise functions."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from irrun_kernels.copies import copy_rows
from irrun_kernels.functions import BINARY, RUN, UNARY, assign, binary, unary
from irrun_kernels.native import Address, Read, Write, floats, inlined, kernel, longs, record

AXES: Final = 4
"""Axes of a chain in front of the last one."""

OPERAND: Final = 7
"""Numbers of an operand: its kind, its address, its strides in bytes along the axes in front, its columns, 1 or all."""

ALIKE, SCALAR, ROW, OTHER = range(4)
"""Kinds of operands: as contiguous as the result, one element, the same row everywhere, anything else."""

CALL: Final = 3
"""Numbers of a call: the number of a function (the unary ones, the binary ones, and then the copy), the value that it
replaces, and its second operand."""

COPY: Final = len(UNARY) + len(BINARY)

_UNARY: Final = len(UNARY)


class Chain(NamedTuple):
    """Arguments of `chain`. The result has the axes [size_0, ..., size_3, columns] and is contiguous.

    A run is some rows, or a part of one: `RUN` elements at most. ``operands`` is the address of `OPERAND` numbers for
    each input, ``calls`` that of `CALL` numbers for each function; what they name are inputs, then the result, then
    further blocks of workspace. ``parameters`` are f32.
    """

    out: Write[Address]
    operands: Read[Address]
    inputs: int
    calls: Read[Address]
    functions: int
    parameters: Read[Address]
    size_0: int
    size_1: int
    size_2: int
    size_3: int
    columns: int
    runs_per_task: int


@kernel(Chain)
def chain(arguments: Any, task: int, workspace: int) -> None:
    """Some runs. Workspace has room for a run of each input and each further block, and two numbers for each input."""
    c = record(arguments)
    rows = c.size_0 * c.size_1 * c.size_2 * c.size_3
    each = max(1, RUN // c.columns)
    parts = -(-c.columns // RUN)
    calls = longs(c.calls, CALL * c.functions)
    parameters = floats(c.parameters, 2 * c.functions)
    first_run = task * c.runs_per_task
    for run in range(first_run, min(-(-rows // each) * parts, first_run + c.runs_per_task)):
        row, begin = run // parts * each, run % parts * RUN
        count = min(each, rows - row)
        length = count * min(RUN, c.columns - begin)
        _find_operands(c, row, begin, count, length, run == first_run, workspace)
        for number in range(c.functions):
            function = calls[CALL * number]
            x = _value(c, calls[CALL * number + 1], row, begin, length, workspace)
            if function < _UNARY:
                unary(function, x, parameters[2 * number], parameters[2 * number + 1])
                continue
            y = _value(c, calls[CALL * number + 2], row, begin, length, workspace)
            if function == COPY:
                assign(x, y)
            else:
                binary(function - _UNARY, x, y)


@inlined
def _value(c: Any, number: int, row: int, begin: int, length: int, workspace: int) -> Any:
    """A run of an input, of the result, or of a block of workspace."""
    if number < c.inputs:
        found = longs(workspace + 16 * number, 2)
        return floats(found[0], found[1])
    if number == c.inputs:
        return floats(c.out + 4 * (row * c.columns + begin), length)
    return floats(workspace + 16 * c.inputs + 4 * RUN * (number - 1), length)


@inlined
def _find_operands(c: Any, row: int, begin: int, count: int, length: int, is_first: bool, workspace: int) -> None:
    """Write the address and the length of a run of each input; rows that are not neighbours are put together before."""
    found = longs(workspace, 2 * c.inputs)
    for number in range(c.inputs):
        operand = longs(c.operands + 8 * OPERAND * number, OPERAND)
        kind, columns = operand[0], operand[6]
        found[2 * number + 1] = length
        if kind == ALIKE:
            found[2 * number] = operand[1] + 4 * (row * c.columns + begin)
        elif kind == SCALAR:
            found[2 * number] = operand[1]
            found[2 * number + 1] = 1
        elif count == 1:
            found[2 * number] = _row(c, operand, row) + (4 * begin if columns > 1 else 0)
            found[2 * number + 1] = length if columns > 1 else 1
        else:
            block = workspace + 16 * c.inputs + 4 * RUN * number
            found[2 * number] = block
            if kind == OTHER or is_first:
                _collect(c, operand, row, count, block)


@inlined
def _row(c: Any, operand: Any, row: int) -> int:
    """The address of a row of an input."""
    third = row // c.size_3
    second = third // c.size_2
    address = operand[1] + row % c.size_3 * operand[5] + third % c.size_2 * operand[4]
    return int(address + second % c.size_1 * operand[3] + second // c.size_1 * operand[2])


@inlined
def _collect(c: Any, operand: Any, row: int, count: int, out: int) -> None:
    """Concatenate rows of an input."""
    done = 0
    while done < count:
        here = min(count - done, c.size_3 - (row + done) % c.size_3)
        address, target = _row(c, operand, row + done), out + 4 * done * c.columns
        if operand[6] > 1:
            copy_rows(address, operand[5], target, 4 * c.columns, here, c.columns)
        else:
            for index in range(here):
                assign(floats(target + 4 * index * c.columns, c.columns), floats(address + index * operand[5], 1))
        done += here
