"""Quantization of floats to evenly spaced levels, kept as floats."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from irrun.kernels.threads import Array


class Levels(NamedTuple):
    """Evenly spaced numbers, at most 256, and the range of the numbers that are mapped to them.

    Level k stands for output_low + k * step. Numbers from ``low`` to ``high`` are mapped to levels 0 to ``most``.
    """

    low: float
    high: float
    output_low: float
    output_high: float
    most: int

    @property
    def step(self) -> float:
        """The distance of two numbers."""
        return (self.output_high - self.output_low) / self.most

    @property
    def zero(self) -> float:
        """The level that stands for 0, if it is an integer."""
        return -self.output_low / self.step

    @property
    def slope(self) -> float:
        """Levels for each unit of the input."""
        return self.most / (self.high - self.low)

    def quantize(self, x: Array) -> Array:
        """Return the nearest level of each f32 as a byte, ties to even; 0 for NaN."""
        low, high = np.float32(self.low), np.float32(self.high)
        levels = (np.clip(x, low, high) - low) / (high - low) * np.float32(self.most)
        return np.asarray(np.rint(levels, out=levels), np.uint8)

    def dequantize(self, codes: Array) -> Array:
        """Return the numbers as f32."""
        numbers = codes.astype(np.float32)
        numbers /= np.float32(self.most)
        numbers *= np.float32(self.output_high) - np.float32(self.output_low)
        if self.output_low:
            numbers += np.float32(self.output_low)
        return numbers


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
    # Clipped elements are right already, except where the span is not finite or was rounded.
    if not ordered or not np.isfinite(span).all():
        np.copyto(result, output_low, where=x <= np.minimum(input_low, input_high))
    if not ordered or bool(np.any(output_low + span != output_high)):
        np.copyto(result, output_high, where=x > np.maximum(input_low, input_high))
    return result
