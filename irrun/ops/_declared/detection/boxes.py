"""Shape rules of operations on boxes, regions and anchors."""

from __future__ import annotations

from irrun.ops import Dim, Fact, OpError, Shape
from irrun.ops.shapes import merge_dims


def ranked(fact: Fact, rank: int) -> Shape:
    """Return the shape of an input of declared rank; unknown sizes where the rank itself is unknown."""
    return Shape.unknown(rank) if fact.shape.dims is None else fact.shape


def expect_size(dim: Dim, size: int, what: str, *, input: int) -> None:
    """Raise OpError where a size cannot have its required value."""
    if not dim.admits(size):
        raise OpError(f"{what} is {dim}, expected {size}", input=input)


def merge_all(dims: list[Dim], what: str, *, input: int | None = None) -> Dim:
    """Return the common value of sizes that must be equal."""
    merged = dims[0]
    for dim in dims[1:]:
        merged = merge_dims(merged, dim, what, input=input)
    return merged


def up_to(most: Dim) -> Dim:
    """Return the number of rows of a result that depends on values, with an upper bound."""
    return Dim(0, max(most.hi, 0))
