"""Padding and strided views of trailing axes, for operations with sliding windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from irrun.kernels.threads import Array


def pad(data: Array, begins: Sequence[int], ends: Sequence[int], value: Any = 0) -> Array:
    """Pad the last axes with ``value`` by ``begins`` and ``ends`` elements; negative numbers crop.

    Returns a view where nothing is added.
    """
    axes = len(begins)
    sizes = data.shape[data.ndim - axes :]
    kept: list[Any] = [...]
    placed: list[Any] = [...]
    shape: list[int] = []
    for size, begin, end in zip(sizes, begins, ends, strict=True):
        first, last = max(-begin, 0), size + min(end, 0)
        last = max(last, first)
        kept.append(slice(first, last))
        placed.append(slice(first + begin, last + begin))
        shape.append(max(size + begin + end, 0))
    inside: Array = data[tuple(kept)]
    if all(begin <= 0 and end <= 0 for begin, end in zip(begins, ends, strict=True)):
        return inside
    padded = np.full((*data.shape[: data.ndim - axes], *shape), value, data.dtype)
    padded[tuple(placed)] = inside
    return padded


def view(data: Array, starts: Sequence[int], steps: Sequence[int], counts: Sequence[int]) -> Array:
    """View ``counts`` elements along each of the last axes, from ``starts`` on and ``steps`` apart."""
    index: list[Any] = [...]
    index.extend(_slice(*of) for of in zip(starts, steps, counts, strict=True))
    part: Array = data[tuple(index)]
    return part


def _slice(start: int, step: int, count: int) -> slice:
    return slice(start, start + step * (count - 1) + 1, step) if count > 0 else slice(0, 0)


def extent(kernel: int, dilation: int) -> int:
    """Return the number of elements that a window spans from its first to its last, both included."""
    return (kernel - 1) * dilation + 1


def lowest(dtype: np.dtype[Any]) -> Any:
    """Return the lowest value of a dtype, the neutral element of max."""
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min
