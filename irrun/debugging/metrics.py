"""Errors of a tensor beside a reference."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from irrun.evaluation.differences import gaps
from irrun.tensor import Array

STATS: Final = ("max", "mean", "median", "rms")
"""The statistics of absolute errors that may be held against a tolerance."""

_BLOCK: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class Errors:
    """Errors of a tensor beside a reference of the same shape.

    ``max``, ``mean``, ``median`` and ``rms`` are of absolute errors, ``relative`` is the largest in proportion to
    ``scale``, the largest finite magnitude of both. ``cosine`` is None where a value is not finite; ``psnr`` and
    ``snr`` are decibels, infinite where all is equal; ``ulp`` is the largest number of representable values between two
    elements, of f16 where one side is f16, else of f32, and None for other types. ``median`` is None unless asked for.
    """

    max: float
    mean: float
    median: float | None
    rms: float
    relative: float
    scale: float
    cosine: float | None
    psnr: float
    snr: float
    ulp: float | None
    is_exact: bool

    def exceeds(self, rtol: float, atol: float, stat: str = "max") -> bool:
        """Return whether a statistic of floats is above ``atol + rtol * scale``; others must be equal."""
        if self.is_exact:
            return self.max > 0
        value = getattr(self, stat)
        return not (value is not None and value <= atol + rtol * self.scale)

    def as_dict(self) -> dict[str, Any]:
        """Return a record, ready for JSON or pandas."""
        return asdict(self)


def errors(array: Array, reference: Array, *, median: bool = False) -> Errors:
    """Return the errors of a tensor beside a reference of the same shape, without copying either as a whole.

    Different text is infinitely far away.
    """
    if array.dtype.kind in "UO" or reference.dtype.kind in "UO":
        far = 0.0 if np.array_equal(array.astype(str), reference.astype(str)) else np.inf
        return Errors(far, far, far, far, far, 0.0, None, np.inf, np.inf, None, is_exact=True)
    is_exact = array.dtype.kind != "f" and reference.dtype.kind != "f"
    most = scale = peak = total = squares = own = theirs = both = 0.0
    steps: float | None = None if is_exact else 0.0
    with np.errstate(all="ignore"):
        for x, y in blocks_of(array, reference):
            wide, other = x.astype(np.float64), y.astype(np.float64)
            gap = gaps(wide, other)
            most = max(most, float(gap.max(initial=0.0)))
            total, squares = total + float(gap.sum()), squares + float(gap @ gap)
            own, theirs, both = own + float(wide @ wide), theirs + float(other @ other), both + float(wide @ other)
            peak = max(peak, _magnitude(other))
            scale = max(scale, peak, _magnitude(wide))
            steps = None if steps is None else max(steps, _steps(x, y))
        middle = float(np.median(gaps(array.astype(np.float64), reference.astype(np.float64)))) if median else None
        length = math.sqrt(own) * math.sqrt(theirs) if np.isfinite(own) and np.isfinite(theirs) else np.nan
    count = max(array.size, 1)
    return Errors(
        most,
        total / count,
        middle if array.size else 0.0,
        math.sqrt(squares / count),
        most / scale if scale else most,
        scale,
        (both / length if length else float(most == 0)) if np.isfinite(length) else None,
        _decibels(peak * peak, squares / count),
        _decibels(theirs, squares),
        steps,
        is_exact,
    )


def blocks_of(array: Array, other: Array) -> Iterator[tuple[Array, Array]]:
    """Yield the elements of two arrays of the same shape in blocks, without copying either as a whole."""
    if array.size <= _BLOCK:
        yield array.reshape(-1), other.reshape(-1)
        return
    yield from np.nditer([array, other], ["external_loop", "buffered", "zerosize_ok"], buffersize=_BLOCK, order="K")


def _magnitude(x: Array) -> float:
    return float(np.abs(x[np.isfinite(x)]).max(initial=0.0))


def _decibels(signal: float, noise: float) -> float:
    if noise == 0:
        return math.inf
    ratio = signal / noise
    return 10 * math.log10(ratio) if 0 < ratio < math.inf else -math.inf


def _steps(x: Array, y: Array) -> float:
    """Return the largest number of representable values between two elements; infinite for NaN beside a number."""
    halves = np.float16 in (x.dtype, y.dtype)
    kind, bits = (np.float16, np.int16) if halves else (np.float32, np.int32)
    places = []
    for array in (x, y):
        codes = np.ascontiguousarray(array, kind).view(bits).astype(np.int64)
        places.append(np.where(codes < 0, np.int64(np.iinfo(bits).min) - codes, codes))
    nan = np.isnan(x.astype(np.float64)), np.isnan(y.astype(np.float64))
    if (nan[0] != nan[1]).any():
        return math.inf
    return float(np.abs(np.where(nan[0], 0, places[0] - places[1])).max(initial=0))
