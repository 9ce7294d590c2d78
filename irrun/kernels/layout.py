"""How tensors lie in memory."""

from __future__ import annotations

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
