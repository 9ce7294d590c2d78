"""Functions of one float tensor that write to an existing array, as epilogues and chains apply them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from irrun.kernels.convolution_blocks import even
from irrun.kernels.threads import Array


@dataclass(frozen=True, slots=True)
class Elementwise:
    """An elementwise function of an array, identified by its name and parameters.

    ``function(x, out)`` computes it; both arguments may be the same array.
    """

    name: str
    parameters: tuple[float, ...]
    function: Callable[..., Any] = field(compare=False)

    def __call__(self, x: Array, out: Array) -> None:
        self.function(x, out=out)

    def in_place(self, x: Array) -> None:
        """Overwrite an array with the function of its elements."""
        self.function(x, out=x)


def clipped(low: float, high: float) -> Elementwise:
    """Return the function that clips to an interval."""

    def clip(x: Array, out: Array) -> None:
        np.maximum(x, low, out=out) if high == math.inf else x.clip(low, high, out=out)

    return Elementwise("clamp", (low, high), clip)


def copied(function: Callable[[Array], Any]) -> Callable[..., Any]:
    """Return a function with an output argument, for one that returns a new array."""
    return function if isinstance(function, np.ufunc) else lambda x, out: np.copyto(out, function(x))


def in_place(function: Elementwise | None) -> Callable[[Array], object] | None:
    """Return a function that overwrites an array with the function of its elements."""
    return None if function is None else function.in_place


def convert(x: Array, out: Array) -> None:
    """Write integers or booleans as floats."""
    np.copyto(out, x, casting="unsafe")


def select(condition: Array, x: Array, y: Array, out: Array) -> None:
    """Write elements of x where a condition is true, of y elsewhere; ``out`` may be one of them."""
    np.copyto(out, np.where(condition, x, y))


_ELEMENTS: Final = 1 << 17
"""Elements of a result processed at a time, so that they stay in the cache."""


Activation = Callable[[Array], object]
"""A function that overwrites an array elementwise."""


def finish(block: Array, bias: Array | None, summand: Array | None, activation: Activation | None) -> None:
    """Overwrite a block [..., O] with activation(block + bias + summand); ``bias`` is [O], the summand of its shape."""
    if bias is None and summand is None and activation is None:
        return
    step = even(len(block), _ELEMENTS // max(math.prod(block.shape[1:]), 1))
    for first in range(0, len(block), step):
        place = slice(first, first + step)
        part = block[place]
        if bias is not None:
            np.add(part, bias, out=part)
        if summand is not None:
            np.add(part, summand[place], out=part)
        if activation is not None:
            activation(part)
