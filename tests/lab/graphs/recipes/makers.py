"""Makers that many recipes share."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from irrun.tensor import ElementType
from tests.lab.graphs.call import ABSENT, Call, Maker
from tests.lab.graphs.grow import Rejected, Tensor


def fixed(value: Any) -> Maker:
    """Always the same."""
    return lambda _: value


def pick(*options: Any) -> Maker:
    return lambda call: call.draw.pick(options)


def maybe(maker: Maker, chance: float = 0.5) -> Maker:
    """Now and then absent."""
    return lambda call: maker(call) if call.draw.chance(chance) else ABSENT


def data(
    name: str = "data",
    *,
    low: float = -np.inf,
    high: float = np.inf,
    rank: Collection[int] | None = None,
    types: Collection[ElementType] | None = None,
    suits: Callable[[Tensor], bool] = lambda _: True,
) -> Maker:
    """The tensor that an operation works on: any of the graph that is within the bounds."""
    return lambda call: call.tensor(name, low=low, high=high, rank=rank, types=types, suits=suits)


def like(
    name: str, shape: Callable[[Call], Sequence[int]], low: float = -4, high: float = 4, constant: float | None = None
) -> Maker:
    """A tensor of the type of the data, where that is allowed, and of a shape that follows from what is drawn."""

    def make(call: Call) -> Tensor:
        main = call["data"].type if any(port.name == "data" for port in call.spec.inputs) else call.data.type
        same = [main] if main in call.types(name) else None
        return call.tensor(name, shape=shape(call), low=low, high=high, types=same, constant=constant)

    return make


def ints(name: str, numbers: Callable[[Call], Any], constant: float | None = None) -> Maker:
    """An integer input that follows from what is drawn already."""
    return lambda call: call.ints(name, numbers(call), constant)


def size_of(shape: Sequence[int]) -> int:
    return math.prod(shape)


def some_axis(call: Call, *, negative: bool = True) -> int:
    """An axis of the data, which must have one."""
    rank = call.data.rank
    if rank == 0:
        raise Rejected("a scalar has no axis")
    axis = call.draw.int(0, rank - 1)
    return axis - rank if negative and call.draw.chance(0.4) else axis


def some_axes(call: Call, least: int = 0) -> list[int]:
    """Different axes of the data, in any order."""
    if call.data.rank < least:
        raise Rejected("too few axes")
    return [int(axis) for axis in call.draw.axes(call.data.rank, least=least).tolist()]


def positive(call: Call, axis: int) -> int:
    """The axis counted from the front."""
    return axis % max(call.data.rank, 1)


def has_axes(least: int, most: int = 6) -> Callable[[Tensor], bool]:
    return lambda tensor: least <= tensor.rank <= most


def not_empty(tensor: Tensor) -> bool:
    return tensor.array.size > 0


def divisor(call: Call) -> int:
    size = call.data.shape[call["place"] % call.data.rank]
    return int(call.draw.pick([number for number in range(1, 5) if number <= size and size % number == 0] or [1]))
