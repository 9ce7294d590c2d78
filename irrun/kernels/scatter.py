"""Writes updates into a tensor by index, in order or reduced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from irrun.kernels.threads import Array

_REDUCE: Final[dict[str, tuple[Any, Any]]] = {
    "sum": (np.add, np.logical_or),
    "sub": (np.subtract, np.logical_xor),
    "prod": (np.multiply, np.logical_and),
    "min": (np.minimum, np.logical_and),
    "max": (np.maximum, np.logical_or),
}
"""The functions of reductions, for numbers and for booleans."""


def scatter(
    data: Array, index: tuple[Any, ...], updates: Array, reduction: str = "none", *, keep_initial: bool = True
) -> Array:
    """Return a copy of ``data`` with ``updates`` at ``index``, reduced with each other and with the initial values.

    ``index`` is one array for each axis, or for the leading ones. Without ``keep_initial``, the updates are reduced
    only with each other. With ``none``, the last update of a place is kept.
    """
    output = data.astype(np.promote_types(data.dtype, updates.dtype))
    # NumPy assigns in the order of memory of the index.
    index = tuple(np.asarray(each, order="C") if isinstance(each, np.ndarray) else each for each in index)
    if reduction == "none":
        # Assigning a scalar array to an object array would store the array itself.
        output[index] = updates if updates.ndim else updates[()]
    elif reduction == "mean":
        return _scatter_mean(output, index, updates, keep_initial)
    else:
        if not keep_initial:
            output[index] = _neutral(reduction, output.dtype)
        at: Callable[..., None] = _REDUCE[reduction][output.dtype == np.bool_].at
        at(output, index, updates)
    return output


def _scatter_mean(data: Array, index: tuple[Any, ...], updates: Array, keep_initial: bool) -> Array:
    """Scatter means; those of integers are rounded down."""
    kind = data.dtype.kind
    wide = data.dtype if kind == "f" else np.dtype(np.uint64 if kind == "u" else np.int64)
    total = scatter(data.astype(wide), index, updates.astype(wide), "sum", keep_initial=keep_initial)
    counts = scatter(np.ones_like(total), index, np.ones_like(updates, wide), "sum", keep_initial=keep_initial)
    divide = np.true_divide if kind == "f" else np.floor_divide
    return np.asarray(divide(total, counts), data.dtype)


def _neutral(reduction: str, dtype: np.dtype[Any]) -> Any:
    """Return the neutral element of a reduction."""
    if reduction in ("sum", "sub", "prod"):
        return int(reduction == "prod")
    lowest: Any = -np.inf
    highest: Any = np.inf
    if dtype == np.bool_:
        lowest, highest = False, True
    elif dtype.kind in "iu":
        lowest, highest = np.iinfo(dtype).min, np.iinfo(dtype).max
    elif dtype.kind == "O":
        lowest, highest = -(2**64), 2**64
    return highest if reduction == "min" else lowest
