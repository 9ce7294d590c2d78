"""The epilogue of a block of results while it is in the cache: bias, summand, activation."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from irrun.kernels.ranges import even
from irrun.kernels.threads import Array

_ELEMENTS: Final = 1 << 17
"""Elements of a result processed at a time, so that they stay in the cache."""


Activation = Callable[[Array], object]
"""A function that overwrites an array elementwise."""


class Epilogue:
    """Computes activation(block + bias + summand) for blocks [..., O] and a bias [O]."""

    def __init__(self, bias: Array | None, activation: Activation | None) -> None:
        self.bias = bias
        self.activation = activation

    def apply(self, block: Array, summand: Array | None) -> None:
        """Apply the epilogue to a block [..., O], and a summand of its shape."""
        if self.bias is None and summand is None and self.activation is None:
            return
        step = even(len(block), _ELEMENTS // max(math.prod(block.shape[1:]), 1))
        for first in range(0, len(block), step):
            place = slice(first, first + step)
            part = block[place]
            if self.bias is not None:
                np.add(part, self.bias, out=part)
            if summand is not None:
                np.add(part, summand[place], out=part)
            if self.activation is not None:
                self.activation(part)
