"""Functions of one float tensor that write to an existing array, as epilogues apply them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from irrun.kernels.threads import Array


@dataclass(frozen=True, slots=True)
class Elementwise:
    """An elementwise function of an array, identified by its name and parameters.

    ``function`` returns a new array.
    """

    name: str
    parameters: tuple[float, ...]
    function: Callable[[Array], Any] = field(compare=False)

    def in_place(self, x: Array) -> None:
        """Overwrite an array with the function of its elements."""
        np.copyto(x, self.function(x))


def clipped(low: float, high: float) -> Elementwise:
    """Return the function that clips to an interval."""
    return Elementwise("clamp", (low, high), lambda x: np.maximum(x, low) if high == math.inf else x.clip(low, high))


def finish(block: Array, bias: Array | None, summand: Array | None, activation: Elementwise | None) -> None:
    """Overwrite a block [..., O] with activation(block + bias + summand); ``bias`` is [O], the summand of its shape."""
    if bias is not None:
        np.add(block, bias, out=block)
    if summand is not None:
        np.add(block, summand, out=block)
    if activation is not None:
        activation.in_place(block)


Place = tuple[slice, ...]
"""A part of the results of an image: slices of the first axes, the others are whole."""


@lru_cache(128)
def parts(sizes: tuple[int, ...], most: int) -> Sequence[Place]:
    """Return nearly equal parts of at most ``most`` elements, one after the other."""
    inner = [math.prod(sizes[axis + 1 :]) for axis in range(len(sizes))]
    axis = next(axis for axis, size in enumerate(inner) if size <= max(most, 1))
    step = even(sizes[axis], most // max(inner[axis], 1))
    spans = [slice(first, min(first + step, sizes[axis])) for first in range(0, sizes[axis], step)]
    return [(*(slice(at, at + 1) for at in front), span) for front in np.ndindex(*sizes[:axis]) for span in spans]


def even(count: int, most: int) -> int:
    """Return the size of nearly equal parts of ``count``, at most ``most`` each."""
    blocks = max(-(-count // max(most, 1)), 1)
    return max(-(-count // blocks), 1)
