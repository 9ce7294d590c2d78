"""Updates of elements at places that indices choose."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from irrun_kernels.axes import Axes, Strided, axis_of, find_axes, next_place, place_of, product_of, restrict_axis
from irrun_kernels.copies import copy_line
from irrun_kernels.elements import Elements, Step, of_kind, unsigned
from irrun_kernels.moves import is_outside, report
from irrun_kernels.native import Address, Read, Update, Write, inlined, kernel, longs, record

REDUCTIONS: Final = ("none", "sum", "sub", "prod", "min", "max")
"""Combinations of an element and an update, by their number."""


class Scatter(NamedTuple):
    """Arguments of `scatter`: arrays with the axes ``size``, of elements of a kind. Strides are in bytes.

    ``at`` holds places as i64 that are added to those in ``out``, in elements of ``width`` bytes. Elements outside are
    left out; ``misfit`` is the address of a number that becomes 1 then, or absent.
    """

    x: Read[Strided]
    out: Update[Strided]
    at: Read[Strided]
    misfit: Write[Address]
    size: Axes
    kind: int
    width: int
    function: int
    tasks: int


@kernel(Scatter)
def scatter(arguments: Any, task: int, workspace: int) -> None:
    """Combine elements of ``out`` with those of ``x``, in the order of the axes along which places vary.

    A task has a part of the outermost axis along which they do not; without one, the first task does everything.
    """
    c = record(arguments)
    count = find_axes(c.size, c.x.step, c.out.step, c.at.step, 1, workspace)
    shared = 0
    while shared < count and axis_of(workspace, shared)[3] != 0:
        shared += 1
    start = 0
    if shared < count:
        size = axis_of(workspace, shared)[0]
        start = task * size // c.tasks
        restrict_axis(workspace, shared, (task + 1) * size // c.tasks - start)
    elif task > 0:
        return
    columns, x_step, out_step, at_step = axis_of(workspace, count - 1)
    lines = product_of(workspace, count - 1)
    if lines * columns == 0:
        return
    x_start, out_start = c.x.start, c.out.start
    if shared < count:
        x_start += start * axis_of(workspace, shared)[1]
        out_start += start * axis_of(workspace, shared)[2]
    x, out, at = place_of(workspace, count - 1, 0)
    for _ in range(lines):
        _scatter_line(c, x_start + x, x_step, out_start + out, out_step, c.at.start + at, at_step, columns)
        x, out, at = next_place(workspace, count - 1, x, out, at)


@inlined
def _scatter_line(c: Any, x: int, x_step: int, out: int, out_step: int, at: int, at_step: int, count: int) -> None:
    places, step, function = longs(at), at_step // 8, c.function
    if function != 0 or step != 0:
        if _combine(c.kind, function, x, x_step, out, out_step, places, step, count):
            report(c.misfit)
    elif is_outside(places[0]):
        report(c.misfit)
    else:
        copy_line(c.width, x, x_step, out + c.width * places[0], out_step, count)


@of_kind()
def _combine(function: int, x: Elements, a: Step, out: Elements, b: Step, places: Any, step: int, count: int) -> bool:
    """Combine elements at places of their own; return whether some are outside."""
    missing = False
    for i in range(count):
        place = places[unsigned(i * step)]
        if is_outside(place):
            missing = True
            continue
        target = unsigned(place + i * b)
        new, old = x[unsigned(i * a)], out[target]
        if function == 0:
            out[target] = new
        elif function == 1:
            out[target] = old + new
        elif function == 2:
            out[target] = old - new
        elif function == 3:
            out[target] = old * new
        elif function == 4:
            out[target] = old if old < new or old != old else new
        else:
            out[target] = old if old > new or old != old else new
    return missing
