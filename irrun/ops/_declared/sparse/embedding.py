"""Checks and shape rules of operations on bags of embeddings."""

from __future__ import annotations

from irrun.ops import Array, Dim, Fact, OpError, Shape
from irrun.ops.shapes import merge_dims
from irrun.tensor.element_type import I32, I64

INDEX = frozenset({I32, I64})


def bags_shape(bags: Dim, table: Fact) -> Shape:
    """Return [bags, ...], with a row of the table for each bag."""
    if table.shape.dims is None:
        return Shape.unknown()
    if len(table.shape) == 0:
        raise OpError("the table is a scalar, expected rank 1 or more", input=0)
    return Shape([bags, *table.shape[1:]])


def weighted(indices: Fact, weights: Fact | None, index: int) -> Shape:
    """Return the common shape of indices and their weights; OpError where they differ."""
    if weights is None:
        return indices.shape
    shape = indices.shape.merge(weights.shape)
    if shape is None:
        raise OpError(
            f"per_sample_weights have shape {weights.shape}, expected that of indices {indices.shape}", input=index
        )
    return shape


def same_length(a: Fact, b: Fact, what: str, index: int) -> None:
    """Raise OpError where two lists differ in length."""
    if a.shape.dims is not None and b.shape.dims is not None:
        merge_dims(a.shape[0], b.shape[0], what, input=index)


def check_indices(indices: Array, table: Array) -> None:
    """Raise OpError where an index is not a row of the table."""
    if indices.size and not (indices.min() >= 0 and indices.max() < table.shape[0]):
        wrong = indices.min() if indices.min() < 0 else indices.max()
        raise OpError(f"index {wrong} is outside a table of {table.shape[0]} rows", input=1)


def check_ascending(name: str, values: Array, most: int | None = None) -> None:
    """Raise OpError where the values of input 2 do not ascend from 0, to ``most`` where it is given."""
    bounds = [0, *values.tolist(), *([] if most is None else [most])]
    if bounds != sorted(bounds):
        end = "" if most is None else f" to {most}"
        raise OpError(f"{name} are {values.tolist()}, expected an ascending order from 0{end}", input=2)


def default_row(default_index: Array | None, table: Array) -> int | None:
    """Return the row used for an empty bag; None for zeros."""
    if default_index is None or int(default_index.item()) == -1:
        return None
    row = int(default_index.item())
    if not 0 <= row < table.shape[0]:
        raise OpError(f"default_index {row} is outside a table of {table.shape[0]} rows")
    return row
