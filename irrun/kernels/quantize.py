"""Quantization of floats to evenly spaced levels, kept as floats."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def fake_quantize(
    x: Array, input_low: Array, input_high: Array, output_low: Array, output_high: Array, levels: int
) -> Array:
    """The nearest of ``levels`` evenly spaced values between the outputs, for x between the inputs.

    What is not above both inputs gives ``output_low``, what is above both ``output_high``; NaN stays NaN. The limits
    broadcast onto x. Halves are rounded to even.
    """
    result: Array = np.subtract(x, input_low, out=np.empty_like(x))
    result /= input_high - input_low
    result *= levels - 1
    np.rint(result, out=result)
    result /= levels - 1
    result *= output_high - output_low
    result += output_low
    np.copyto(result, output_low, where=x <= np.minimum(input_low, input_high))
    np.copyto(result, output_high, where=x > np.maximum(input_low, input_high))
    return result
