"""Refuting declared shapes by what is known of outputs that neither a dim nor an interval expresses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from irrun.tensor import Dim, Shape


class Refutation(NamedTuple):
    """The reason why an output cannot have its declared shape.

    Without an ``axis`` the rank or the whole is wrong. ``shape`` is the one to declare where it is known.
    """

    what: str
    axis: int | None = None
    output: int = 0
    shape: Shape | None = None


def numbers(shape: Shape) -> Iterator[tuple[int, int]]:
    """Yield the axes with a declared number, and the number."""
    for axis, dim in enumerate(shape.dims or ()):
        if dim.is_static:
            yield axis, dim.lo


def least_rank(declared: Shape, rank: int, why: str) -> Iterator[Refutation]:
    """Refute a rank below the least one; ``why`` names what has that rank."""
    if declared.rank is not None and declared.rank < rank:
        yield Refutation(f"the rank is {declared.rank}, expected {rank} or more, {why}")


def at_most(declared: Shape, bounds: Sequence[Dim | None], why: str) -> Iterator[Refutation]:
    """Refute sizes above a bound for each axis; None where an axis has none."""
    for axis, size in numbers(declared):
        bound = bounds[axis] if axis < len(bounds) else None
        if bound is not None and size > bound.hi:
            yield Refutation(f"axis {axis} is {size}, expected at most {bound.hi}, {why}", axis)
