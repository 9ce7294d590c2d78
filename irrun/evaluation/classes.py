"""The likeliest classes of rows of scores."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np

from irrun.tensor import Array

MOST_ROWS: Final = 10
"""The number of rows up to which an array holds scores to show."""


def _top(array: Array, count: int) -> list[list[tuple[int, float]]] | None:
    """Return the likeliest classes of each row with their scores; None where the array does not hold rows of scores."""
    if array.ndim not in (1, 2) or array.dtype.kind not in "fiu" or array.size == 0:
        return None
    rows = array.reshape(-1, array.shape[-1])
    if len(rows) > MOST_ROWS:
        return None
    best = np.argsort(-rows.astype(np.float64), axis=1, kind="stable")[:, :count]
    return [[(int(index), row[index].item()) for index in order] for row, order in zip(rows, best, strict=True)]


def likeliest(arrays: Iterable[Array], count: int) -> list[list[dict[str, Any]]]:
    """Return the likeliest classes of each row of the first array that holds at most a few rows of scores."""
    for array in arrays:
        best = _top(array, count)
        if best is not None:
            return [[{"class": index, "score": score} for index, score in row] for row in best]
    return []
