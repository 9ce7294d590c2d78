"""Updates of elements at places that indices choose."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from irrun_kernels.axes import Axes, advance, count_of, find_walk, offset_of
from irrun_kernels.copies import copy_line
from irrun_kernels.elements import Elements, Step, of_kind, unsigned
from irrun_kernels.moves import is_outside, report
from irrun_kernels.native import Address, Read, Update, Write, inlined, kernel, longs, record

REDUCTIONS: Final = ("none", "sum", "sub", "prod", "min", "max")
"""Combinations of an element and an update, by their number."""


class Scatter(NamedTuple):
    """Arguments of `scatter`: arrays of elements of a kind, with ``axes`` of ``x``, ``out`` and ``at``.

    Axes along which places vary precede others. ``at`` holds places as i64 that are added to those in ``out``, in
    elements of ``width`` bytes. Elements outside are left out; ``misfit`` is the address of a number that becomes 1
    then, or absent.
    """

    x: Read[Address]
    out: Update[Address]
    at: Read[Address]
    misfit: Write[Address]
    axes: Axes
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
    sizes, x_steps, out_steps, at_steps, indices = find_walk(c.axes, workspace)
    column, shared = len(sizes) - 1, 0
    while shared <= column and at_steps[shared] != 0:
        shared += 1
    x_start, out_start = c.x, c.out
    if shared <= column:
        start = task * sizes[shared] // c.tasks
        sizes[shared] = (task + 1) * sizes[shared] // c.tasks - start
        x_start += start * x_steps[shared]
        out_start += start * out_steps[shared]
    elif task > 0:
        return
    if count_of(sizes) == 0:
        return
    indices = indices[:column]
    indices[:] = 0
    for _ in range(count_of(sizes[:column])):
        x, out = x_start + offset_of(indices, x_steps), out_start + offset_of(indices, out_steps)
        at = c.at + offset_of(indices, at_steps)
        _scatter_line(c, x, x_steps[column], out, out_steps[column], at, at_steps[column], sizes[column])
        advance(indices, sizes)


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
