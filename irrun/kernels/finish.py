"""What is done to a block of results before it leaves the cache: a bias, a summand, an activation."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Final

import numpy as np

from irrun.kernels.calls import Call, call
from irrun.kernels.ranges import even
from irrun.kernels.threads import Array

Activation = Callable[[Array], object]
"""Overwrites an array with a function of its elements."""

_LONG_ROW: Final = 1024
"""Elements of a row that NumPy adds to many rows without losing time between them."""

_SHORT_BLOCK: Final = 1 << 12
"""Elements of a block to which a row is rather added as it is."""

_ELEMENTS: Final = 1 << 17
"""Elements of a result that are finished at a time, while they are in the cache."""


class Finish:
    """activation(block + bias + summand) for blocks [..., O] and a bias [O].

    Either all at once at the `end`, or what is added `begin`s the block that a product is then added to, and the
    activation follows. All rows of a block lie in memory at equal distances.
    """

    def __init__(self, bias: Array | None, activation: Activation | None) -> None:
        self.bias = bias
        self.activation = activation

    def of_filters(self, first: int, last: int) -> Finish:
        """For a block that has only some of the channels."""
        return Finish(None if self.bias is None else self.bias[first:last], self.activation)

    def without_bias(self) -> Finish:
        """For a block that has it already."""
        return Finish(None, self.activation)

    def begin(self, block: Array, summand: Array | None) -> Call:
        """Writes what the products of a block are added to."""
        if summand is None:
            return call(block.fill, 0) if self.bias is None else call(np.copyto, block, self.bias)
        return call(np.copyto, block, summand) if self.bias is None else call(np.add, summand, self.bias, block)

    def add(self, block: Array, summand: Array | None) -> Iterator[Call]:
        """Adds to a block what it was not begun with."""
        for part in (self.bias, summand):
            if part is not None:
                yield call(np.add, block, part, block)

    def activate(self, block: Array) -> Iterator[Call]:
        """Ends a block that was begun, or added to."""
        if self.activation is not None:
            for part in _parts(block):
                yield call(self.activation, block[part])

    def end(self, block: Array, summand: Array | None) -> Iterator[Call]:
        """All at once."""
        if self.bias is not None or summand is not None or self.activation is not None:
            yield call(self._all_at_once, block, summand)

    def _all_at_once(self, block: Array, summand: Array | None) -> None:
        """``summand`` may have fewer rows, and fewer columns, than a block [rows, columns, O]."""
        for place in _parts(block):
            part = block[place]
            if self.bias is not None and part.size <= _SHORT_BLOCK:
                np.add(part, self.bias, out=part)
            elif self.bias is not None:
                _add_to_rows(part.reshape(-1, part.shape[-1]), self.bias, self._long)
            if summand is not None:
                added = summand[place]
                inside = part[: added.shape[0], : added.shape[1]]
                np.add(inside, added, out=inside)
            if self.activation is not None:
                self.activation(part)

    @cached_property
    def _long(self) -> Array:
        """The bias again and again."""
        assert self.bias is not None
        return np.tile(self.bias, -(-_LONG_ROW // max(self.bias.size, 1)))


def _parts(block: Array) -> Iterator[slice]:
    """Rows of a block that fit the cache."""
    step = even(len(block), _ELEMENTS // max(math.prod(block.shape[1:]), 1))
    for first in range(0, len(block), step):
        yield slice(first, first + step)


def _add_to_rows(block: Array, row: Array, long: Array) -> None:
    """Several rows at a time, where they are short: ``long`` is the row again and again."""
    repeats = long.size // row.size
    whole = len(block) - len(block) % repeats
    if repeats > 1 and whole and block.flags.c_contiguous:
        several = block[:whole].reshape(-1, long.size)
        several += long
        block = block[whole:]
    block += row
