"""Activation functions that are polynomials in pieces, computed in the dtype of the array.

None writes to its input. NaN stays NaN.
"""

from __future__ import annotations

import numpy as np

from irrun.kernels.threads import Array


def prelu(x: Array, slope: Array | float) -> Array:
    """Return x where it is not negative, slope * x elsewhere; ``slope`` broadcasts to ``x``. Integers are allowed."""
    result = np.minimum(x, 0, out=np.empty_like(x))
    result *= slope
    result += np.maximum(x, 0)
    if not np.isfinite(slope).all():
        np.copyto(result, x, where=x >= 0)
    return result


def hard_sigmoid(x: Array, alpha: float | Array, beta: float | Array) -> Array:
    """Return alpha * x + beta, clipped to [0, 1]."""
    result = np.multiply(x, alpha, out=np.empty_like(x))
    result += beta
    return np.clip(result, 0, 1, out=result)


def hswish(x: Array) -> Array:
    """Return x * min(max(x + 3, 0), 6) / 6."""
    result = np.add(x, 3, out=np.empty_like(x))
    np.clip(result, 0, 6, out=result)
    result /= 6
    result *= x
    return result
