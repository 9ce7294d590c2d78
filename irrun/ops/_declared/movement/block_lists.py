"""The per-axis lists that SpaceToBatch and BatchToSpace have as inputs."""

from __future__ import annotations

from collections.abc import Sequence

from irrun.diagnostics import amount
from irrun.ops import Array, Dim, Fact, OpError

Lists = tuple[tuple[Dim, ...], tuple[Dim, ...], tuple[Dim, ...]]


def known_lists(data: Fact, lists: Sequence[Fact], names: Sequence[str]) -> Lists | None:
    """Return block sizes and two lists of amounts; None where neither their length nor the rank of data is known.

    OpError where they do not fit ``data``: blocks are at least 1, amounts at least 0, and 1 and 0 for the batch.
    """
    if data.rank is not None and data.rank < 2:
        raise OpError(f"data have rank {data.rank}, expected 2 or more", input=0)
    found = []
    for index, (fact, name) in enumerate(zip(lists, names, strict=True), start=1):
        items = fact.dims()
        if items is None:
            if data.rank is None:
                return None
            items = (Dim.anything(),) * data.rank
        if data.rank is not None and len(items) != data.rank:
            raise OpError(
                f"{name} has {amount(len(items), 'element')}, expected {data.rank}, the rank of data", input=index
            )
        found.append(_checked(items, name, index, least=int(index == 1)))
    blocks, begins, ends = found
    return blocks, begins, ends


def check_lists(arrays: Sequence[Array], names: Sequence[str]) -> list[list[int]]:
    """Check known lists, and return them."""
    for index, (array, name) in enumerate(zip(arrays, names, strict=True), start=1):
        _checked(tuple(Dim.exactly(int(item)) for item in array.tolist()), name, index, least=int(index == 1))
    return [[int(item) for item in array.tolist()] for array in arrays]


def _checked(items: tuple[Dim, ...], name: str, index: int, *, least: int) -> tuple[Dim, ...]:
    for axis, item in enumerate(items):
        if item.hi < least:
            raise OpError(f"{name} is {item} for axis {axis}, expected {least} or more", input=index)
    if items and not items[0].admits(least):
        raise OpError(f"{name} is {items[0]} for axis 0, the batch, expected {least}", input=index)
    return (Dim.exactly(least), *(Dim(max(item.lo, least), item.hi) if item.lo < least else item for item in items[1:]))
