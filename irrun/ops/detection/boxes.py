"""Shape rules of operations on boxes, regions and anchors."""

from __future__ import annotations

from irrun.ops import Dim, Fact, OpError, Shape
from irrun.ops.shapes import merge_dims


def ranked(fact: Fact, rank: int) -> Shape:
    """The shape of an input whose rank the declaration fixes: unknown sizes where not even the rank is known."""
    return Shape.unknown(rank) if fact.shape.dims is None else fact.shape


def expect_size(dim: Dim, size: int, what: str, *, input: int) -> None:
    """OpError where a size cannot be what it must be."""
    if not dim.admits(size):
        raise OpError(f"{what} is {dim}, expected {size}", input=input)


def merge_all(dims: list[Dim], what: str, *, input: int | None = None) -> Dim:
    """What is known when all these sizes must be the same."""
    merged = dims[0]
    for dim in dims[1:]:
        merged = merge_dims(merged, dim, what, input=input)
    return merged


def up_to(most: Dim) -> Dim:
    """A number of rows that depends on values: at most so many."""
    return Dim(0, max(most.hi, 0))
