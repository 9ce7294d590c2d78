"""Walks over arrays with axes of any sizes and strides.

Lowerings pass the axes of arrays as they are; a kernel leaves out those of size 1, brings the others into the order of
memory and merges them, so that the same call is right for all sizes.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, NamedTuple

from irrun_kernels.native import Address, inlined, longs

AXES: Final = 8
"""Axes of an array."""

_ROW: Final = 5
"""Numbers of an axis in workspace: a size, strides in three arrays, and a place in an order, or an index."""

WALK: Final = 8 * _ROW * (AXES + 2)
"""Bytes of workspace for axes."""


Axes = Annotated[tuple[int, ...], AXES]
"""A number for each axis."""


class Strided(NamedTuple):
    """The address of an array, 0 for none, and its strides."""

    start: Address
    step: Axes


@inlined
def find_axes(size: Any, x: Any, out: Any, at: Any, keeps: int, workspace: int) -> int:
    """Write the axes of three arrays to workspace, and return how many there are: at least two.

    They are in the order of ``out`` in memory, the outermost first; with ``keeps``, those along which ``at`` varies
    precede all others, in their own order.
    """
    axes = longs(workspace, _ROW * (AXES + 2))
    count = 0
    for axis in range(AXES):
        if size[axis] != 1:
            _insert(axes, count, size[axis], x[axis], out[axis], at[axis], keeps)
            count += 1
    count = _merge(axes, count)
    while count < 2:
        for number in range(_ROW * count - 1, -1, -1):
            axes[number + _ROW] = axes[number]
        axes[0] = 1
        axes[1:_ROW] = 0
        count += 1
    return count


@inlined
def _insert(axes: Any, count: int, size: int, x: int, out: int, at: int, keeps: int) -> None:
    order = 1 << 62 if keeps != 0 and at != 0 else abs(out)
    place = count
    while place > 0 and axes[_ROW * place - 1] < order:
        for number in range(_ROW * place, _ROW * place + _ROW):
            axes[number] = axes[number - _ROW]
        place -= 1
    first = _ROW * place
    axes[first], axes[first + 1], axes[first + 2], axes[first + 3], axes[first + 4] = size, x, out, at, order


@inlined
def _merge(axes: Any, count: int) -> int:
    kept = 0
    for number in range(count):
        here, size = _ROW * number, axes[_ROW * number]
        before = _ROW * (kept - 1)
        if kept > 0 and (
            axes[before + 1] == axes[here + 1] * size
            and axes[before + 2] == axes[here + 2] * size
            and axes[before + 3] == axes[here + 3] * size
        ):
            size *= axes[before]
            kept -= 1
        for field in range(_ROW):
            axes[_ROW * kept + field] = axes[here + field]
        axes[_ROW * kept] = size
        kept += 1
    return kept


@inlined
def axis_of(workspace: int, number: int) -> Any:
    """The size of an axis, and its strides in the three arrays."""
    axis = longs(workspace + 8 * _ROW * number, _ROW)
    return axis[0], axis[1], axis[2], axis[3]


@inlined
def exchange_axes(workspace: int, first: int, second: int) -> None:
    """Exchange two axes."""
    a, b = longs(workspace + 8 * _ROW * first, _ROW), longs(workspace + 8 * _ROW * second, _ROW)
    for number in range(_ROW):
        a[number], b[number] = b[number], a[number]


@inlined
def restrict_axis(workspace: int, number: int, size: int) -> None:
    """Change the size of an axis."""
    longs(workspace + 8 * _ROW * number, 1)[0] = size


@inlined
def product_of(workspace: int, count: int) -> int:
    """The product of the sizes of the first axes."""
    result = 1
    for number in range(count):
        result *= longs(workspace + 8 * _ROW * number, 1)[0]
    return result


@inlined
def place_of(workspace: int, count: int, index: int) -> Any:
    """The distances from the starts of the three arrays to an element, by its index in the first axes."""
    x, out, at = 0, 0, 0
    for number in range(count - 1, -1, -1):
        axis = longs(workspace + 8 * _ROW * number, _ROW)
        axis[4] = index % axis[0]
        index //= axis[0]
        x += axis[4] * axis[1]
        out += axis[4] * axis[2]
        at += axis[4] * axis[3]
    return x, out, at


@inlined
def next_place(workspace: int, count: int, x: int, out: int, at: int) -> Any:
    """The distances to the element after that of the last call, or of `place_of`."""
    for number in range(count - 1, -1, -1):
        axis = longs(workspace + 8 * _ROW * number, _ROW)
        axis[4] += 1
        x += axis[1]
        out += axis[2]
        at += axis[3]
        if axis[4] < axis[0]:
            break
        axis[4] = 0
        x -= axis[0] * axis[1]
        out -= axis[0] * axis[2]
        at -= axis[0] * axis[3]
    return x, out, at
