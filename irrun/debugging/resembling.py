"""Tensors of a run that are found again by their values."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from irrun.debugging.spool import Spool
from irrun.graph import Outlet
from irrun.tensor import Array

SAME: Final = 1e-4
"""The largest error of a layer by rounding in f32, in proportion to the largest magnitude of the tensor."""

_SAMPLED: Final = 256
"""Elements of a sketch, about."""

_FEW: Final = 16
"""Integers that two tensors may have in common by chance."""


class Sketch(NamedTuple):
    """Some elements of a tensor, in the order of memory, its largest finite magnitude, and NumPy's ``kind`` of them.

    ``is_finite`` says that it has neither NaN nor infinities.
    """

    kind: str
    sample: Array
    scale: float
    is_finite: bool = True


def sketch(array: Array) -> Sketch:
    """Return a sketch, which is equal for all shapes of the same elements."""
    flat = array.reshape(-1)
    step = max(flat.size // _SAMPLED, 1)
    some = flat[:: step | 1] if flat.size else flat
    if array.dtype.kind in "OUS":
        return Sketch("U", some.astype(str), 0.0)
    with np.errstate(all="ignore"):
        finite = flat[np.isfinite(flat)] if array.dtype.kind == "f" else flat
        scale = max(float(finite.max()), -float(finite.min())) if finite.size else 0.0
        return Sketch(array.dtype.kind, some.astype(np.float64), scale, finite.size == flat.size)


def distance(array: Array, other: Array) -> float:
    """Return the largest error of a tensor beside another of as many elements, in proportion to the largest magnitude.

    Integers and texts that differ are infinitely far away, and so is a value that is finite on one side only.
    """
    if array.size != other.size:
        return np.inf
    x, y = array.reshape(-1), other.reshape(-1)
    if not x.size:
        return 0.0
    if x.dtype.kind in "OUS" or y.dtype.kind in "OUS":
        return 0.0 if np.array_equal(x.astype(str), y.astype(str)) else np.inf
    if x.dtype.kind != "f" and y.dtype.kind != "f":
        return 0.0 if np.array_equal(x, y) else np.inf
    return _apart(x.astype(np.float64), y.astype(np.float64))


def _apart(x: Array, y: Array, scale: float | None = None) -> float:
    """Return the largest error in proportion to a scale, by default the largest magnitude of both."""
    with np.errstate(all="ignore"):
        odd = ~np.isfinite(x), ~np.isfinite(y)
        if odd[0].any() or odd[1].any():
            if not np.array_equal(np.where(odd[0], x, 0), np.where(odd[1], y, 0), equal_nan=True):
                return float(np.inf)
            x, y = np.where(odd[0], 0, x), np.where(odd[1], 0, y)
        if scale is None:
            scale = max(float(np.abs(x).max()), float(np.abs(y).max()))
        return float(np.abs(x - y).max(initial=0.0)) / scale if scale else 0.0


def is_plain(array: Array) -> bool:
    """Return whether a tensor may be equal to another one by chance: all elements are equal, or it has few integers."""
    if array.dtype.kind != "f":
        return array.size <= _FEW
    flat = array.reshape(-1)
    return bool(array.size == 0 or (flat == flat[0]).all() or np.isnan(flat).all())


class Tensors:
    """The tensors of a model on the disk, found by outlet or by value."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._known: dict[Outlet, tuple[tuple[int, ...], Sketch]] = {}
        self._types: dict[Outlet, Any] = {}
        self._by_size: dict[int, list[Outlet]] = {}

    def put(self, outlet: Outlet, array: Array) -> None:
        """Keep a tensor."""
        if outlet not in self._known:
            self._spool.put(("other", outlet), array)
            self._known[outlet] = tuple(array.shape), sketch(array)
            self._types[outlet] = array.dtype
            self._by_size.setdefault(array.size, []).append(outlet)

    def __contains__(self, outlet: Outlet) -> bool:
        return outlet in self._known

    def __iter__(self) -> Iterator[Outlet]:
        return iter(self._known)

    def __getitem__(self, outlet: Outlet) -> Array:
        return self._spool.get(("other", outlet))

    def get(self, outlet: Outlet) -> Array | None:
        return self[outlet] if outlet in self._known else None

    def shape(self, outlet: Outlet) -> tuple[int, ...]:
        return self._known[outlet][0]

    def is_finite(self, outlet: Outlet) -> bool:
        """Return whether a tensor has neither NaN nor infinities."""
        return self._known[outlet][1].is_finite

    def is_few(self, outlet: Outlet) -> bool:
        """Return whether a tensor has few integers."""
        shape, sketch = self._known[outlet]
        return sketch.kind != "f" and prod(shape) <= _FEW

    def type(self, outlet: Outlet) -> Any:
        """Return NumPy's type of the elements of a tensor."""
        return self._types[outlet]

    def near(self, array: Array, within: float) -> list[tuple[float, Outlet]]:
        """Return the tensors that may be within a distance of an array, the nearest first, judged by their sketches."""
        mine = sketch(array)
        found = []
        for outlet in self._by_size.get(array.size, ()):
            shape, other = self._known[outlet]
            if (mine.kind in "fU" or other.kind in "fU") and mine.kind != other.kind:
                continue
            scale = max(mine.scale, other.scale)
            if min(mine.scale, other.scale) < scale * (1 - within):
                continue
            if mine.kind == "U":
                apart = 0.0 if np.array_equal(mine.sample, other.sample) else np.inf
            else:
                apart = _apart(mine.sample, other.sample, scale)
            if apart <= within:
                found.append((apart, shape != tuple(array.shape), outlet))
        return [(apart, outlet) for apart, _, outlet in sorted(found)]
