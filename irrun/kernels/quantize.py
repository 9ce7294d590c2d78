"""Quantization of floats to evenly spaced levels, kept as floats."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from irrun.kernels.threads import Array

_ELEMENTS: Final = 1 << 16
"""Elements that are quantised at a time, so that they stay in the cache."""


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

    def quantize(self, x: Array, out: Array) -> None:
        """Write the nearest level of each f32, ties to even; 0 for NaN."""
        rows, codes = _as_rows(x, out)
        low, span, most = (np.float32(value) for value in (self.low, self.high, self.most))
        span -= low
        step = max(1, _ELEMENTS // max(rows.shape[-1], 1))
        for first in range(0, len(rows), step):
            part = np.clip(rows[first : first + step], low, np.float32(self.high))
            if low:
                part -= low
            part /= span
            part *= most
            np.rint(part, out=part)
            np.copyto(codes[first : first + step], part, casting="unsafe")

    def dequantize(self, codes: Array, out: Array) -> Array:
        """Write the numbers as f32."""
        np.copyto(out, codes)
        out /= np.float32(self.most)
        out *= np.float32(self.output_high) - np.float32(self.output_low)
        if self.output_low:
            out += np.float32(self.output_low)
        return out


def _as_rows(x: Array, out: Array) -> tuple[Array, Array]:
    """View two arrays of one shape as matrices, with the axes in the memory order of the second."""
    order = sorted(range(out.ndim), key=lambda axis: -out.strides[axis])
    x, out = x.transpose(order), out.transpose(order)
    if x.ndim > 1 and x.flags.c_contiguous and out.flags.c_contiguous:
        return x.reshape(-1, x.shape[-1]), out.reshape(-1, x.shape[-1])
    return np.atleast_2d(x), np.atleast_2d(out)


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
