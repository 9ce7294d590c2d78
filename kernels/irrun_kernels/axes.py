"""Walks over arrays with axes of any number, sizes and strides.

Lowerings pass axes in the order in which they are walked; a kernel leaves out those of size 1 and merges neighbours, so
that the same call is right for all sizes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from irrun_kernels.native import Address, Read, inlined, longs


class Axes(NamedTuple):
    """The axes of some arrays: the address of the sizes of ``rank`` axes, then of the strides of each, in bytes."""

    table: Read[Address]
    rank: int


def walk_bytes(rank: int, arrays: int) -> int:
    """The bytes of workspace for the axes of some arrays."""
    return 8 * (rank + 2) * (arrays + 2)


@inlined
def merge_axes(axes: Any, arrays: int, workspace: int) -> int:
    """Write axes to workspace, neighbours as one where all arrays allow it, and return how many: at least two."""
    pitch, count = axes.rank + 2, 0
    table, merged = longs(axes.table, (arrays + 1) * axes.rank), longs(workspace, (arrays + 1) * pitch)
    for axis in range(axes.rank - 1, -1, -1):
        size, place = table[axis], pitch - count
        if size == 1:
            continue
        joins = count > 0
        for array in range(1, arrays + 1):
            joins = joins and table[array * axes.rank + axis] == merged[array * pitch + place] * merged[place]
        if joins:
            merged[place] *= size
        else:
            count += 1
            merged[place - 1] = size
            for array in range(1, arrays + 1):
                merged[array * pitch + place - 1] = table[array * axes.rank + axis]
    while count < 2:
        count += 1
        for array in range(arrays + 1):
            merged[(array + 1) * pitch - count] = 1 if array == 0 else 0
    return count


@inlined
def row_of(axes: Any, count: int, number: int, workspace: int) -> Any:
    """The sizes of merged axes, or the strides of an array from 1 on; the row behind the last array is for indices."""
    pitch = axes.rank + 2
    return longs(workspace + 8 * ((number + 1) * pitch - count), count)


@inlined
def find_walk(axes: Any, workspace: int) -> Any:
    """The sizes of the merged axes of three arrays, the strides of each, and the indices of an element."""
    count = merge_axes(axes, 3, workspace)
    return (
        row_of(axes, count, 0, workspace),
        row_of(axes, count, 1, workspace),
        row_of(axes, count, 2, workspace),
        row_of(axes, count, 3, workspace),
        row_of(axes, count, 4, workspace),
    )


@inlined
def count_of(sizes: Any) -> int:
    """The elements of an array."""
    result = 1
    for size in sizes:
        result *= size
    return result


@inlined
def find_indices(indices: Any, sizes: Any, number: int) -> None:
    """Write the indices of an element in row-major order, along the first axes."""
    for axis in range(len(indices) - 1, -1, -1):
        indices[axis] = number % sizes[axis]
        number //= sizes[axis]


@inlined
def advance(indices: Any, sizes: Any) -> None:
    """Write the indices of the next element."""
    for axis in range(len(indices) - 1, -1, -1):
        indices[axis] += 1
        if indices[axis] < sizes[axis]:
            break
        indices[axis] = 0


@inlined
def offset_of(indices: Any, strides: Any) -> int:
    """The bytes before the element with some indices."""
    offset = 0
    for axis in range(len(indices)):
        offset += indices[axis] * strides[axis]
    return offset
