"""Pads tensors with their own elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from irrun.kernels.threads import Array


def pad_mapped(data: Array, before: Sequence[int], after: Sequence[int], mode: str) -> Array:
    """Pad ``data`` with its own elements; negative numbers crop.

    Each padded place maps to an element of the whole axis, even where the other end is cropped: ``edge`` to the
    nearest, ``reflect`` mirrors at the border elements, ``symmetric`` at the borders.
    """
    for axis, (b, size, a) in enumerate(zip(before, data.shape, after, strict=True)):
        if b <= 0 and a <= 0:
            index: Any = slice(-b, max(size + a, -b))
        else:
            index = _source(np.arange(-b, max(size + a, -b)), size, mode)
        data = data[(slice(None),) * axis + (index,)]
    return data


def _source(place: Array, size: int, mode: str) -> Array:
    if mode == "edge":
        return np.clip(place, 0, size - 1)
    period = 2 * size if mode == "symmetric" else max(2 * (size - 1), 1)
    place = place % period
    if mode == "reflect" and size == 1:
        return place
    mirrored: Array = np.minimum(place, (period - 1 if mode == "symmetric" else period) - place)
    return mirrored
