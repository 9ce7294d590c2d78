"""Arrays that begin where two lines of the cache do, so that vectors of them are in one line each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

LINES: Final = 128
"""Bytes of two lines, which processors fetch together."""


def aligned(shape: int | Sequence[int], dtype: npt.DTypeLike = np.uint8) -> npt.NDArray[Any]:
    """Return an uninitialised array."""
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    size = math.prod(sizes) * np.dtype(dtype).itemsize
    whole = np.empty(size + LINES, np.uint8)
    skip = -whole.ctypes.data % LINES
    return whole[skip : skip + size].view(dtype).reshape(sizes)
