"""The epilogue of a block of results while it is in the cache: bias, summand, activation."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from irrun.kernels.convolution_blocks import even
from irrun.kernels.threads import Array

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
