"""Histograms of constants."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from irrun.tensor import Fact

_BINS: Final = 32
_LEAST: Final = 8
"""Constants of fewer elements have no histogram."""

_SAMPLED: Final = 1 << 18
"""The number of elements from which on a histogram is that of a sample."""


def histogram(fact: Fact | None) -> dict[str, Any] | None:
    """Return the counts of the values of a constant in equal intervals, with statistics; None without numbers.

    Of a large constant every n-th element counts, of which ``sampled`` is the number.
    """
    values = None if fact is None else fact.stored if fact.type.name == "f16" and fact.stored is not None else None
    if values is None and fact is not None:
        values = fact.constant
    if values is None or values.dtype.kind not in "fiu" or values.size < _LEAST:
        return None
    flat = values.reshape(-1)
    step = max(flat.size // _SAMPLED, 1)
    sample = flat[::step].astype(np.float64)
    finite = sample[np.isfinite(sample)]
    record: dict[str, Any] = {
        "size": int(flat.size),
        "sampled": int(sample.size),
        "nan": int(np.isnan(sample).sum()),
        "inf": int(np.isinf(sample).sum()),
        "zeros": int((sample == 0).sum()),
    }
    if not finite.size:
        return {**record, "bins": []}
    low, high = float(finite.min()), float(finite.max())
    counts = np.histogram(finite, bins=_BINS, range=(low, high))[0] if high > low else np.array([finite.size])
    return {
        **record,
        "min": _short(low),
        "max": _short(high),
        "mean": _short(float(finite.mean())),
        "std": _short(float(finite.std())),
        "bins": counts.tolist(),
    }


def _short(value: float) -> float:
    return float(f"{value:.5g}")
