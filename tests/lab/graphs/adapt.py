"""Makes a tensor of a graph fit where it does not: other type, other shape, other range."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import numpy as np

from irrun.tensor import ElementType
from irrun.tensor.element_type import I64
from tests.lab.graphs.grow import Grower, Rejected, Tensor
from tests.lab.graphs.theme import RUNNABLE


def adapted(
    grower: Grower, types: Collection[ElementType], shape: Sequence[int], low: float, high: float
) -> Tensor | None:
    """A tensor of one of the types, of the shape, and within the bounds, made of another one; None without success."""
    kind = grower.theme.type(grower.draw, types)
    if kind is None or kind.kind == "string" or not all(shape):
        return None
    base = grower.find(
        [type for type in RUNNABLE if type.is_float == kind.is_float and type.kind != "string"],
        lambda t: t.array.size > 0,
    )
    if base is None:
        return None
    try:
        with grower.attempt():
            return squashed(grower, resized(grower, converted(grower, base, kind), shape), low, high)
    except Rejected:
        return None


def converted(grower: Grower, tensor: Tensor, kind: ElementType) -> Tensor:
    """The tensor in another type."""
    if tensor.type is kind:
        return tensor
    return grower.one("Convert", 1, tensor, destination_type=kind)


def resized(grower: Grower, tensor: Tensor, shape: Sequence[int]) -> Tensor:
    """The elements of a tensor, repeated or cut off, in another shape."""
    if tensor.shape == tuple(shape):
        return tensor
    count, size = math.prod(shape), tensor.array.size
    if count != size:
        flat = grower.one("Reshape", 1, tensor, ints(grower, [-1]), special_zero=False)
        if count > size:
            flat = grower.one("Tile", 1, flat, ints(grower, [-(-count // size)]))
        if flat.array.size != count:
            flat = grower.one("Slice", 8, flat, ints(grower, [0]), ints(grower, [count]), ints(grower, [1]))
        tensor = flat
    return grower.one("Reshape", 1, tensor, ints(grower, shape), special_zero=False)


def squashed(grower: Grower, tensor: Tensor, low: float, high: float) -> Tensor:
    """The tensor, moved and scaled into bounds where it lies outside them."""
    if is_within(tensor, low, high) or tensor.type.kind == "boolean":
        return tensor
    least, most = float(tensor.array.min()), float(tensor.array.max())
    if not tensor.type.is_float or most - least < 1e-3:
        return grower.one("Clamp", 1, tensor, min=float(low), max=float(high))
    scale = (high - low) / (most - least) * 0.9
    shift = (low + high) / 2 - scale * (least + most) / 2
    return grower.one(
        "Add", 1, grower.one("Multiply", 1, tensor, number(grower, tensor, scale)), number(grower, tensor, shift)
    )


def is_within(tensor: Tensor, low: float, high: float) -> bool:
    """Return whether all values are between the bounds."""
    if (low == -np.inf and high == np.inf) or tensor.array.dtype.kind not in "iuf" or tensor.array.size == 0:
        return True
    return float(tensor.array.min()) >= low and float(tensor.array.max()) <= high


def like(grower: Grower, other: Tensor) -> Tensor:
    """A tensor of the type and shape of one of another graph: one that there is, or one that is made of one."""
    found = grower.find([other.type], lambda t: t.shape == other.shape and t.fact.shape.compatible(other.fact.shape))
    if found is not None and grower.draw.chance(0.8):
        return found
    made = adapted(grower, [other.type], other.shape, -4, 4)
    if made is None:
        raise Rejected("nothing fits")
    return made


def ints(grower: Grower, numbers: Sequence[int] | int, kind: ElementType = I64) -> Tensor:
    """A constant of integers."""
    return grower.constant(kind, np.asarray(numbers, kind.dtype))


def number(grower: Grower, like: Tensor, value: float) -> Tensor:
    """A constant number of the type of another tensor."""
    from irrun.ops.calling import conform

    return grower.constant(like.type, conform(np.asarray(value, like.type.dtype), like.type))
