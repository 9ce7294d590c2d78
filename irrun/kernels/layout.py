"""The memory layout of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from irrun.kernels.threads import Array


class HasStrides(Protocol):
    """Anything with the shape and the strides of an array."""

    @property
    def shape(self) -> tuple[Any, ...]: ...

    @property
    def strides(self) -> tuple[Any, ...]: ...

    @property
    def ndim(self) -> int: ...


def axes_in_memory(x: HasStrides) -> list[int]:
    """Return the axes in the order of memory, outermost first."""
    return sorted(range(x.ndim), key=lambda axis: (-abs(x.strides[axis]), -x.shape[axis]))


def channels_last(x: Array) -> Array:
    """View [N, C, *S] as [N, *S, C]."""
    return x.transpose(0, *range(2, x.ndim), 1)


def channels_first(x: Array) -> Array:
    """View [N, *S, C] as [N, C, *S]."""
    return x.transpose(0, x.ndim - 1, *range(1, x.ndim - 1))


def merged_axes(arrays: Sequence[HasStrides]) -> list[tuple[Any, tuple[Any, ...]]]:
    """Return the axes of arrays of one shape, adjacent ones merged where every array allows it.

    Each is a size and the strides in bytes of the arrays; axes of size 1 are left out.
    """
    axes: list[tuple[Any, tuple[Any, ...]]] = []
    for axis, size in enumerate(arrays[0].shape):
        if size == 1:
            continue
        strides = tuple(array.strides[axis] for array in arrays)
        if axes and all(last == own * size for last, own in zip(axes[-1][1], strides, strict=True)):
            axes[-1] = (axes[-1][0] * size, strides)
        else:
            axes.append((size, strides))
    return axes
