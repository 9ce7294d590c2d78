"""Arithmetic with shapes: integers that a graph computes from the shapes of its tensors."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from irrun.tensor import ElementType
from irrun.tensor.element_type import I32, I64
from tests.lab.graphs.adapt import ints
from tests.lab.graphs.grow import Grower, Rejected, Tensor


def computed(grower: Grower, numbers: Any, types: Collection[ElementType]) -> Tensor | None:
    """A tensor of these integers, made of shapes as far as shapes hold them; None without success."""
    kinds = [kind for kind in (I64, I32) if kind in types]
    array = np.asarray(numbers, np.int64)
    if not kinds or array.ndim > 1 or array.size == 0 or array.size > 8:
        return None
    kind = grower.draw.pick(kinds)
    try:
        with grower.attempt():
            parts = _parts(grower, array.reshape(-1).tolist(), kind)
            if parts is None:
                return None
            whole = parts[0]
            if len(parts) > 1 or grower.draw.chance(0.2):
                whole = grower.add("Concat", 1, parts, {"axis": grower.draw.pick((0, -1))})[0]
            if array.ndim == 0:
                whole = grower.one("Squeeze", 1, whole, ints(grower, grower.draw.pick(([0], 0))))
            return whole
    except Rejected:
        return None


def _parts(grower: Grower, numbers: list[int], kind: ElementType) -> list[Tensor] | None:
    """Pieces that put the list together; None where not one of them comes from a shape."""
    parts: list[Tensor] = []
    derived = False
    while numbers:
        length, part = _sizes(grower, numbers, kind)
        if part is None:
            length, part = 1, _product(grower, numbers[0], kind)
        if part is None:
            part = ints(grower, numbers[:1], kind)
        else:
            derived = True
        parts.append(part)
        numbers = numbers[length:]
    return parts if derived else None


def _sizes(grower: Grower, numbers: list[int], kind: ElementType) -> tuple[int, Tensor | None]:
    """The longest beginning of the list that one tensor has as neighbouring sizes."""
    for length in range(len(numbers), 0, -1):
        wanted = tuple(numbers[:length])

        def start(tensor: Tensor, wanted: tuple[int, ...] = wanted) -> int | None:
            shape, count = tensor.shape, len(wanted)
            return next((at for at in range(len(shape) - count + 1) if shape[at : at + count] == wanted), None)

        found = grower.find([t.type for t in grower.tensors], lambda tensor: start(tensor) is not None)
        at = start(found) if found is not None else None
        if found is not None and at is not None:
            return length, _cut(grower, _shape_of(grower, found, kind), at, length, found.rank)
    return 0, None


def _shape_of(grower: Grower, tensor: Tensor, kind: ElementType) -> Tensor:
    if kind is I64 and grower.draw.chance(0.3):
        return grower.one("ShapeOf", 1, tensor)
    return grower.one("ShapeOf", 3, tensor, output_type=kind.name)


def _cut(grower: Grower, shape: Tensor, at: int, length: int, rank: int) -> Tensor:
    """Some neighbouring elements of a list."""
    draw = grower.draw
    if length == rank and draw.chance(0.8):
        return shape
    way = draw.pick(("gather", "slice", "strided"))
    if way == "gather":
        listed = [at + i - (rank if draw.chance(0.3) else 0) for i in range(length)]
        return grower.one("Gather", 8, shape, ints(grower, listed), ints(grower, 0))
    begin, end = ints(grower, [at]), ints(grower, [at + length])
    if way == "slice":
        return grower.one("Slice", 8, shape, begin, end, ints(grower, [1]))
    return grower.one("StridedSlice", 1, shape, begin, end, ints(grower, [1]), begin_mask=(0,), end_mask=(0,))


def _product(grower: Grower, number: int, kind: ElementType) -> Tensor | None:
    """A size times, divided by, plus or minus a constant."""
    draw = grower.draw
    found = grower.find([t.type for t in grower.tensors], lambda t: any(size > 1 for size in t.shape) and t.rank > 0)
    if found is None or draw.chance(0.5):
        return None
    axis = draw.pick([axis for axis, size in enumerate(found.shape) if size > 1])
    size = found.shape[axis]
    one = _cut(grower, _shape_of(grower, found, kind), axis, 1, found.rank)
    if number % size == 0:
        return grower.one("Multiply", 1, one, ints(grower, [number // size], kind))
    if number > 0 and size % number == 0:
        return grower.one("Divide", 1, one, ints(grower, [size // number], kind))
    return grower.one("Add", 1, one, ints(grower, [number - size], kind))
