"""Comparison of facts by what inference can tell apart."""

from __future__ import annotations

from typing import Final

import numpy as np

from irrun.tensor.dim import Dim
from irrun.tensor.fact import Fact

MOST_COMPARED: Final = 1 << 18
"""The number of elements above which inference reads no value."""


def is_same(a: Fact, b: Fact) -> bool:
    """Return whether inference cannot tell two facts apart. A dim that is unknown and unnamed equals only itself."""
    if a is b:
        return True
    if a.type is not b.type or a.shape.rank != b.shape.rank:
        return False
    if not all(_is_same_dim(p, q) for p, q in zip(a.shape.dims or (), b.shape.dims or (), strict=True)):
        return False
    if (a.bounds is None) != (b.bounds is None) or not all(
        np.array_equal(p, q) for p, q in zip(a.bounds or (), b.bounds or (), strict=True)
    ):
        return False
    if a.is_constant and b.is_constant and a.shape.size.lo > MOST_COMPARED:
        return True
    return _is_same_value(a.value, b.value)


def _is_same_dim(a: Dim, b: Dim) -> bool:
    if a is b:
        return True
    is_known = a.is_determined and b.is_determined
    return is_known and (a.lo, a.hi, a.expr) == (b.lo, b.hi, b.expr)


def _is_same_value(a: np.ndarray | None, b: np.ndarray | None) -> bool:
    if a is None or b is None:
        return a is b
    if a is b:
        return True
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype != object:
        return a.tobytes() == b.tobytes()
    return all(
        _is_same_dim(Dim.of(p), Dim.of(q)) if isinstance(p, Dim) or isinstance(q, Dim) else p == q
        for p, q in zip(a.flat, b.flat, strict=True)
    )
