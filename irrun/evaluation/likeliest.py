"""The likeliest classes of an output."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np

from irrun.diagnostics.requests import RequestError
from irrun.tensor import Array

MOST_ROWS: Final = 10
"""The number of rows up to which an array holds scores to show."""


def likeliest(arrays: Iterable[Array], count: int, names: Sequence[str] = ()) -> list[list[dict[str, Any]]]:
    """Return the likeliest classes of each row, with scores, of the first array that holds a few rows of scores.

    ``names`` are those of all classes, in order; RequestError where there are fewer names than classes.
    """
    for array in arrays:
        if array.ndim not in (1, 2) or array.dtype.kind not in "fiu" or array.size == 0:
            continue
        rows = array.reshape(-1, array.shape[-1])
        if len(rows) > MOST_ROWS:
            continue
        if names and len(names) != rows.shape[1]:
            raise RequestError(f"there are {len(names)} names of classes, expected {rows.shape[1]}")
        best = np.argsort(-rows.astype(np.float64), axis=1, kind="stable")[:, :count].tolist()
        return [
            [
                {"class": index, **({"name": names[index]} if names else {}), "score": row[index].item()}
                for index in order
            ]
            for row, order in zip(rows, best, strict=True)
        ]
    return []
