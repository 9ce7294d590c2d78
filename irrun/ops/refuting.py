"""Refuting declared shapes by what is known of outputs that neither a dim nor an interval expresses."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from irrun.tensor import Dim, Shape

MOST_AXES: Final = 10
"""The rank up to which each choice of axes is tried."""


class Refutation(NamedTuple):
    """The reason why an output cannot have its declared shape.

    Without an ``axis`` the rank or the whole is wrong. ``shape`` is the one to declare where it is known.
    """

    what: str
    axis: int | None = None
    output: int = 0
    shape: Shape | None = None


def fits(declared: Shape, dims: Sequence[Dim]) -> bool:
    """Return whether each declared number is possible for the dim at its place."""
    pairs = zip(declared.dims or (), dims, strict=False)
    return declared.dims is None or (len(declared) == len(dims) and all(a.compatible(b) for a, b in pairs))


def unless_one_fits(
    declared: Shape, among: Iterable[Sequence[Dim]], what: str, output: int = 0
) -> Iterator[Refutation]:
    """Refute a shape that none of some possible ones admits."""
    if not any(fits(declared, dims) for dims in among):
        yield Refutation(what, output=output)


def unless_multiples(declared: Shape, sizes: Sequence[Dim], what: str) -> Iterator[Refutation]:
    """Refute numbers that are not multiples of known sizes; ``what`` names these, which are aligned on the right."""
    if declared.dims is None:
        return
    for axis, size in zip(reversed(range(len(declared))), reversed(sizes), strict=False):
        number = declared[axis]
        if number.is_static and size.is_static and (number.lo % size.lo if size.lo else number.lo):
            yield Refutation(f"axis {axis} is {number}, expected a multiple of {size}, {what}", axis)


def unless_of_rank(declared: Shape, least: int, what: str) -> Iterator[Refutation]:
    """Refute a rank below the least one."""
    if declared.dims is not None and len(declared) < least:
        yield Refutation(f"the rank is {len(declared)}, expected {least} or more, {what}")


def unless_few_differ(declared: Shape, dims: Sequence[Dim], most: int, what: str) -> Iterator[Refutation]:
    """Refute a shape in which more than ``most`` numbers differ from known dims; a wrong rank too."""
    if declared.dims is None:
        return
    differing = sum(not a.compatible(b) for a, b in zip(declared, dims, strict=False))
    if len(declared) != len(dims) or differing > most:
        yield Refutation(what)


def choices(rank: int, count: Dim) -> Iterator[frozenset[int]]:
    """Yield each set of axes with an admissible number of them."""
    for size in range(rank + 1):
        if count.admits(size):
            yield from map(frozenset, itertools.combinations(range(rank), size))


def inserted(declared: Shape, dims: Sequence[Dim], count: Dim) -> bool:
    """Return whether a shape may be some dims with a number of ones inserted anywhere."""
    if not count.admits(len(declared) - len(dims)):
        return False
    reached = {0}
    for number in declared:
        kept = {at + 1 for at in reached if at < len(dims) and number.compatible(dims[at])}
        reached = kept | (reached if number.admits(1) else set())
    return len(dims) in reached
