"""Functions of one float tensor that write to an existing array, as epilogues and chains apply them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np

from irrun.kernels.layout import axes_in_memory
from irrun.kernels.threads import Array, scratch


@dataclass(frozen=True, slots=True)
class Elementwise:
    """An elementwise function of an array, identified by its name and parameters.

    ``function`` returns a new array.
    """

    name: str
    parameters: tuple[float, ...]
    function: Callable[[Array], Any] = field(compare=False)

    def __call__(self, x: Array, out: Array) -> None:
        """Write the function of an array to another one, or to itself."""
        np.copyto(out, self.function(x))

    def in_place(self, x: Array) -> None:
        """Overwrite an array with the function of its elements."""
        self(x, x)


def clipped(low: float, high: float) -> Elementwise:
    """Return the function that clips to an interval."""
    return Elementwise("clamp", (low, high), lambda x: np.maximum(x, low) if high == math.inf else x.clip(low, high))


def in_place(function: Elementwise | None) -> Callable[[Array], object] | None:
    """Return a function that overwrites an array with the function of its elements."""
    return None if function is None else function.in_place


def convert(x: Array, out: Array) -> None:
    """Write integers or booleans as floats."""
    np.copyto(out, x, casting="unsafe")


def select(condition: Array, x: Array, y: Array, out: Array) -> None:
    """Write elements of x where a condition is true, of y elsewhere; ``out`` may be one of them."""
    np.copyto(out, np.where(condition, x, y))


Activation = Callable[[Array], object]
"""A function that overwrites an array elementwise."""


def finish(block: Array, bias: Array | None, summand: Array | None, activation: Activation | None) -> None:
    """Overwrite a block [..., O] with activation(block + bias + summand); ``bias`` is [O], the summand of its shape."""
    if bias is not None:
        np.add(block, bias, out=block)
    if summand is not None:
        np.add(block, summand, out=block)
    if activation is not None:
        activation(block)


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


BLOCK: Final = 1 << 15
"""The number of elements in a block."""


class FunctionCall(NamedTuple):
    """A call ``function(*arguments, out=out)`` whose operands are numbers: first the inputs, then the workspaces.

    Workspace 0, the first after the inputs, holds the result in the end.
    """

    function: Callable[..., Any]
    arguments: tuple[int, ...]
    out: int


class FunctionChain(NamedTuple):
    """A sequence of calls, with the number of inputs and of workspaces."""

    calls: tuple[FunctionCall, ...]
    inputs: int
    workspaces: int

    def __call__(self, inputs: Sequence[Array], out: Array) -> Array:
        """Compute the result in ``out`` and return it; inputs broadcast to its shape."""
        if out.size <= BLOCK:
            self._run([*inputs, out, *(np.empty_like(out) for _ in range(self.workspaces - 1))])
        else:
            self._in_blocks(inputs, out)
        return out

    def _run(self, values: Sequence[Array]) -> None:
        for function, arguments, out in self.calls:
            if len(arguments) == 2:
                function(values[arguments[0]], values[arguments[1]], out=values[out])
            else:
                function(*map(values.__getitem__, arguments), out=values[out])

    def _in_blocks(self, inputs: Sequence[Array], out: Array) -> None:
        """Process ``out`` in blocks, with axes in memory order."""
        order = axes_in_memory(out)
        target = out.transpose(order)
        sources = [np.broadcast_to(x, out.shape).transpose(order) for x in inputs]
        for place in parts(target.shape, BLOCK):
            part = target[place]
            workspaces = [scratch(f"chain {index}", part.shape, out.dtype) for index in range(1, self.workspaces)]
            self._run([*(x[place] for x in sources), part, *workspaces])
