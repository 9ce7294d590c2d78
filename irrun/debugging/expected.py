"""Expected outputs that differ: whether they were computed in fewer bits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from irrun.debugging.metrics import errors
from irrun.debugging.quantising import EPSILON
from irrun.debugging.verdicts import Verdict
from irrun.diagnostics import amount
from irrun.tensor import Array
from irrun.tensor.rounding import round_to

_LEAST: Final = 16
"""The number of values that tells that they were rounded."""

_STEPS: Final = 4.0
"""The errors of rounding up to which rounding explains a difference."""

_SILENT: Final = "expected outputs do not tell which layer differs"


def diagnose_expected(ours: Sequence[Array], expected: Sequence[Array | None]) -> Verdict:
    """Return why outputs differ from expected ones, of which None is missing."""
    pairs = [(a, b) for a, b in zip(ours, expected, strict=False) if b is not None and a.dtype.kind == b.dtype.kind]
    floats = [(a, b) for a, b in pairs if a.dtype.kind == "f" and a.shape == b.shape]
    precision = next((name for name in ("bf16", "f16") if _looks_rounded(floats, name)), None)
    if precision is None:
        return Verdict("unknown", reason=_SILENT)
    count = sum(b.size for _, b in floats)
    looks = f"the expected outputs look like {precision}, which holds all of {amount(count, 'value')}"
    worst = max(errors(a, b).relative for a, b in floats)
    if len(floats) == len(ours) == len(expected) and worst <= _STEPS * EPSILON[precision]:
        return Verdict("different", cause="rounding", reason=f"{looks}; the error is {worst:.2g} of a tensor")
    return Verdict("unknown", reason=f"{_SILENT}; {looks}")


def _looks_rounded(floats: Sequence[tuple[Array, Array]], precision: str) -> bool:
    """Return whether a precision holds all values of the second arrays, and not all of the first ones."""
    if sum(b.size for _, b in floats) < _LEAST or any(b.dtype == np.float16 for _, b in floats):
        return False
    return all(_holds(b, precision) for _, b in floats) and not all(_holds(a, precision) for a, _ in floats)


def _holds(array: Array, precision: str) -> bool:
    with np.errstate(all="ignore"):
        narrow = array.astype(np.float32)
        return bool(np.array_equal(round_to(narrow, precision), array, equal_nan=True))
