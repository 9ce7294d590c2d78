"""Quantization of floats to evenly spaced levels, kept as floats."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def fake_quantize(
    x: Array, input_low: Array, input_high: Array, output_low: Array, output_high: Array, levels: int
) -> Array:
    """Map x, clipped to the input range, to the nearest of ``levels`` evenly spaced values of the output range.

    Elements not above both input limits become ``output_low``, those above both ``output_high``; NaN stays NaN. The
    limits broadcast to x. Ties are rounded to even.
    """
    ordered = bool(np.all(input_low < input_high))
    span = output_high - output_low
    result: Array = np.clip(x, input_low, input_high, out=np.empty_like(x)) if ordered else x.copy()
    result -= input_low
    result /= input_high - input_low
    result *= levels - 1
    np.rint(result, out=result)
    result /= levels - 1
    result *= span
    result += output_low
    # Clipped elements are right already, except for rounding errors of the span.
    if not ordered:
        np.copyto(result, output_low, where=x <= np.minimum(input_low, input_high))
    if not ordered or bool(np.any(output_low + span != output_high)):
        np.copyto(result, output_high, where=x > np.maximum(input_low, input_high))
    return result
