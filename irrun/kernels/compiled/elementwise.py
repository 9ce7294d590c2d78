"""Chains of element-wise functions."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from irrun.kernels.compiled.functions import BINARY, UNARY, assign, binary, unary
from irrun.kernels.compiled.native import floats, inlined, kernel, longs, record

RUN: Final = 1024
"""Elements that go through all functions of a chain while they are in the nearest cache."""

AXES: Final = 4
"""Axes of a chain in front of the last one."""

CALL: Final = 3
"""Numbers of a call: the number of a function (the unary ones, the binary ones, and then the copy), the value that it
replaces, and its second operand."""

COPY: Final = len(UNARY) + len(BINARY)


class Chain(NamedTuple):
    """Arguments of `chain`. The result has the axes [size_0, ..., size_3, columns] and is contiguous.

    ``operands`` is the address of six numbers for each input: its address, its strides in bytes along the axes in
    front, and its columns, 1 or all. ``calls`` is the address of `CALL` numbers for each function; what they name are
    inputs, then the result, then further blocks of workspace. ``parameters`` are f32.
    """

    out: int
    operands: int
    inputs: int
    calls: int
    functions: int
    parameters: int
    size_0: int
    size_1: int
    size_2: int
    size_3: int
    columns: int
    runs_per_task: int


_UNARY: Final = len(UNARY)


@kernel(Chain)
def chain(arguments: Any, task: int, workspace: int) -> None:
    """Some runs of at most `RUN` elements of a row."""
    c = record(arguments)
    per_row = -(-c.columns // RUN)
    count = c.size_0 * c.size_1 * c.size_2 * c.size_3 * per_row
    operands = longs(c.operands, 6 * c.inputs)
    calls = longs(c.calls, CALL * c.functions)
    parameters = floats(c.parameters, 2 * c.functions)
    for index in range(task * c.runs_per_task, min(count, (task + 1) * c.runs_per_task)):
        row, begin = index // per_row, index % per_row * RUN
        length = min(RUN, c.columns - begin)
        for number in range(c.functions):
            function = calls[CALL * number]
            x = _value(c, operands, calls[CALL * number + 1], row, begin, length, workspace)
            if function < _UNARY:
                unary(function, x, parameters[2 * number], parameters[2 * number + 1])
                continue
            y = _value(c, operands, calls[CALL * number + 2], row, begin, length, workspace)
            if function == COPY:
                assign(x, y)
            else:
                binary(function - _UNARY, x, y)


@inlined
def _value(c: Any, operands: Any, number: int, row: int, begin: int, length: int, workspace: int) -> Any:
    """A run of an input, of the result, or of a block of workspace."""
    if number == c.inputs:
        return floats(c.out + 4 * (row * c.columns + begin), length)
    if number > c.inputs:
        return floats(workspace + 4 * RUN * (number - c.inputs - 1), length)
    place = 6 * number
    third = row // c.size_3
    second = third // c.size_2
    address = operands[place] + row % c.size_3 * operands[place + 4] + third % c.size_2 * operands[place + 3]
    address += second % c.size_1 * operands[place + 2] + second // c.size_1 * operands[place + 1]
    if operands[place + 5] == 1:
        return floats(address, 1)
    return floats(address + 4 * begin, length)
