"""Shape rules shared by many operations."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from irrun.diagnostics import OpError
from irrun.tensor import UNBOUNDED, Dim, Fact, Shape

_MOST: Final = 2**59
"""A bound of the product of all sizes other than 0, which NumPy limits even for arrays without elements."""


EXPLICIT: Final[Mapping[str, str]] = {"explicit": "none"}
"""OpenVINO's other word for no broadcasting."""


def check_extent(shape: Shape, *, attribute: str | None = None) -> None:
    """Raise OpError for a shape without elements whose other sizes are too large for an array."""
    if shape.dims is None or 0 not in [dim.hi for dim in shape.dims]:
        return
    if math.prod(max(dim.lo, 1) for dim in shape.dims) > _MOST:
        raise OpError(
            f"no array has the shape {shape}, although it has no elements: the sizes are too large", attribute=attribute
        )


def normalize_axis(axis: int, rank: int, *, attribute: str | None = "axis", input: int | None = None) -> int:
    """Return the axis counted from the front; OpError where the tensor does not have it."""
    if not -rank <= axis < rank:
        raise OpError(f"axis {axis} is outside a tensor of rank {rank}", attribute=attribute, input=input)
    return axis % rank


def broadcast(*shapes: Shape) -> Shape:
    """Return the shape of an elementwise result by NumPy's rule; OpError where two sizes do not fit."""
    result = shapes[0]
    for index, shape in enumerate(shapes[1:], start=1):
        result = _broadcast_pair(result, shape, index)
    return result


def _broadcast_pair(a: Shape, b: Shape, index: int) -> Shape:
    if a.dims is None or b.dims is None:
        return Shape.unknown()
    rank = max(len(a.dims), len(b.dims))
    one = Dim.exactly(1)
    left = (one,) * (rank - len(a.dims)) + a.dims
    right = (one,) * (rank - len(b.dims)) + b.dims
    dims = []
    for x, y in zip(left, right, strict=True):
        dim = broadcast_dim(x, y)
        if dim is None:
            raise OpError(f"shapes {a} and {b} do not broadcast: {x} and {y} differ and neither is 1", input=index)
        dims.append(dim)
    return Shape(dims)


def broadcast_dim(a: Dim, b: Dim) -> Dim | None:
    """Return the size of two axes broadcast together; None where they do not fit."""
    if a == b or b == 1:
        return a
    if a == 1:
        return b
    if not a.admits(1) and not b.admits(1):
        return a.merge(b)
    if not a.admits(1):
        return a
    return b if not b.admits(1) else a.broadcast(b)


def broadcast_pdpd(data: Shape, other: Shape, axis: int) -> Shape:
    """Return the shape of an elementwise result by PaddlePaddle's rule: ``other`` begins at ``axis`` of ``data``.

    An axis of -1 aligns on the right. Trailing ones of ``other`` are dropped. The result has the shape of ``data``.
    """
    if data.dims is None or other.dims is None:
        return Shape.unknown()
    start = len(data) - len(other) if axis == -1 else axis
    dims = list(other.dims)
    while dims and len(dims) + start > len(data) and dims[-1] == 1:
        dims.pop()
    if start < 0 or start + len(dims) > len(data):
        raise OpError(f"shape {other} does not fit into {data} from axis {axis} on", input=1)
    result = list(data.dims)
    for index, dim in enumerate(dims, start=start):
        if dim == 1:
            continue
        merged = result[index].merge(dim) if not dim.admits(1) else result[index]
        if merged is None:
            raise OpError(f"shape {other} does not fit into {data} from axis {axis} on", input=1)
        result[index] = merged
    return Shape(result)


def merge_dims(a: Dim, b: Dim, what: str, *, input: int | None = None) -> Dim:
    """Return the common value of two sizes that must be equal; OpError names ``what`` where they differ."""
    merged = a.merge(b)
    if merged is None:
        raise OpError(f"{what} must be the same, got {a} and {b}", input=input)
    return merged


def axes_of(fact: Fact, rank: int, *, input: int) -> tuple[int, ...] | None:
    """Return the axes listed by an input, counted from the front; None where they are unknown."""
    values = fact.ints()
    return None if values is None else tuple(normalize_axis(axis, rank, attribute=None, input=input) for axis in values)


def with_axis(shape: Shape, axis: int, dim: Dim | int) -> Shape:
    """Return the shape with one size replaced."""
    return Shape([*shape[:axis], dim, *shape[axis + 1 :]])


def drop_axes(dims: Sequence[Dim], axes: Sequence[int]) -> Shape:
    """Return the shape without these axes."""
    return Shape([dim for index, dim in enumerate(dims) if index not in axes])


def exact_quotient(total: Dim, divisor: Dim | int) -> Dim:
    """Return ``total / divisor`` for a division known to be exact."""
    by = Dim.of(divisor)
    quotient = (total // by).as_dimension()
    if by.lo <= 0 or total.lo <= 0:
        return quotient
    least = -(-total.lo // by.hi) if by.hi < UNBOUNDED else 1
    return within(quotient, Dim(least, max(quotient.hi, least)))


def has_multiple(size: Dim, divisor: int) -> bool:
    """Return whether a size can be divided by a positive integer without a rest."""
    return (size % divisor).admits(0) and (size.hi >= UNBOUNDED or size.hi // divisor * divisor >= size.lo)


def single_axis(fact: Fact, rank: int, *, input: int) -> int | None:
    """Return the axis that an input of one element names, counted from the front; None where it is unknown."""
    if fact.shape.dims is not None and not fact.shape.size.admits(1):
        raise OpError(f"axis has shape {fact.shape}, expected a single element", input=input)
    axes = axes_of(fact, rank, input=input)
    return None if axes is None else axes[0]


def known_dims(shape: Shape, rank: int) -> tuple[Dim, ...]:
    """Return the dims of a shape of known rank; unknown dims where the shape itself is of dynamic rank."""
    return (Dim(),) * rank if shape.dims is None else shape.dims


def broadcasts_onto(other: Shape, target: Shape) -> bool:
    """Return whether ``other`` broadcasts to the shape of ``target`` by NumPy's rule; leading ones are dropped."""
    if other.dims is None or target.dims is None:
        return True
    surplus = max(len(other) - len(target), 0)
    pairs = zip(other[surplus:][::-1], target[::-1], strict=False)
    return all(dim.admits(1) for dim in other[:surplus]) and all(a.admits(1) or a.compatible(b) for a, b in pairs)


def within(dim: Dim, bounds: Dim) -> Dim:
    """Return the integer restricted to further bounds; the bounds alone where the two do not overlap."""
    merged = dim.merge(bounds)
    return bounds if merged is None else merged
