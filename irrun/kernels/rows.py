"""Processes the rows of a matrix, a few at a time while they are in the cache."""

from __future__ import annotations

from typing import Final

import numpy as np

from irrun.kernels.normalization import divide_by_root
from irrun.kernels.softmax import row_sums
from irrun.kernels.threads import Array

BLOCK: Final = 1 << 17
"""The number of elements processed at a time."""


def layer_norm(
    x: Array,
    gamma: Array | None,
    beta: Array | None,
    eps: float,
    eps_outside: bool,
    centred: bool,
    out: Array,
) -> None:
    """Compute (x - mean) / sqrt(variance + eps) * gamma + beta for each row of x; ``out`` may be x.

    ``eps_outside`` adds eps to the root instead. Without ``centred`` the mean is taken as zero, which is root mean
    square normalization.
    """
    rows, columns = x.shape
    count = max(columns, 1)
    step = max(BLOCK // count, 1)
    for start in range(0, rows, step):
        block, target = x[start : start + step], out[start : start + step]
        if centred:
            mean = row_sums(block)
            mean /= count
            block = np.subtract(block, mean, out=target)
        variance = np.vecdot(block, block)[:, np.newaxis]
        variance /= count
        divide_by_root(block, variance, eps, eps_outside, target)
        if gamma is not None:
            target *= gamma
        if beta is not None:
            target += beta
