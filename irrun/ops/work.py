"""Multiply-adds of operations, from the sizes of their tensors."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple


class Sizes(NamedTuple):
    """The shapes of all inputs and of the first output; unknown sizes are 1."""

    inputs: tuple[tuple[int, ...], ...]
    output: tuple[int, ...]


Work = Callable[[Any, Sizes], int]


def per_output(kernel: int, skipped: int) -> Work:
    """Count, for each element of the output, the elements of a kernel without its ``skipped`` leading axes."""
    return lambda _, sizes: math.prod(sizes.output) * math.prod(sizes.inputs[kernel][skipped:])


def per_input(kernel: int, skipped: int) -> Work:
    """Count, for each element of input 0, the elements of a kernel without its ``skipped`` leading axes."""
    return lambda _, sizes: math.prod(sizes.inputs[0]) * math.prod(sizes.inputs[kernel][skipped:])


def of_weights(w: int, r: int) -> Work:
    """Count inputs W and R times input and state, for each batch element and each step of a sequence."""
    return lambda _, sizes: math.prod(sizes.inputs[0][:-1]) * sum(math.prod(sizes.inputs[port]) for port in (w, r))
