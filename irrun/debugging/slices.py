"""The errors of a tensor by place: elements beyond a tolerance, and slices along an axis that differ from the rest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

import numpy as np

from irrun.debugging.metrics import Errors, blocks_of
from irrun.evaluation.differences import gaps, magnitude
from irrun.tensor import Array

_MOST: Final = 1 << 22
"""The elements up to which slices are looked at."""

_LEAST: Final = 4
"""The elements that a slice has at least."""

_SHARE: Final = 0.95
"""The share of the squared error from which on it is concentrated."""

_FEW: Final = 4
"""The ratio of all slices to those in which errors are concentrated."""

_NOTED: Final = 0.1
"""The error of a slice, in proportion to its own magnitude, from which on it is told."""

_FAINT: Final = 1e-4
"""The magnitude of a slice, in proportion to that of the tensor, below which it is noise."""


@dataclass(frozen=True, slots=True)
class SliceErrors:
    """Slices of a tensor along an axis that differ from the rest.

    ``kind``: ``zero`` slices are 0 throughout on the side ``zero`` and not on the other one, ``concentrated`` ones have
    nearly all of the squared error, and ``small`` ones err by much more of their own magnitude than the whole does.
    ``relative`` is the largest error in proportion to the magnitude of its slice, ``share`` that of the squared error.
    """

    kind: Literal["zero", "concentrated", "small"]
    axis: int
    size: int
    indices: tuple[int, ...]
    relative: float
    share: float
    zero: Literal["model", "other", ""] = ""

    def as_dict(self) -> dict[str, Any]:
        """Return a record, ready for JSON."""
        return {**asdict(self), "indices": list(self.indices)}


def beyond(array: Array, other: Array, found: Errors, rtol: float, atol: float) -> int:
    """Return the number of elements that differ by more than a tolerance, or at all where these must be equal."""
    if array.dtype.kind in "UO":
        return int(np.count_nonzero(array.astype(str) != other.astype(str)))
    limit = 0.0 if found.is_exact else atol + rtol * found.scale
    pairs = blocks_of(array, other)
    return sum(int(np.count_nonzero(gaps(x.astype(np.float64), y.astype(np.float64)) > limit)) for x, y in pairs)


def notable_slices(array: Array, other: Array, *, differs: bool) -> tuple[SliceErrors, ...]:
    """Return the slices that differ from the rest of a tensor, one record of each kind at most.

    ``array`` and ``other`` have the same shape. Where the tensors are within the tolerances, the errors are not said to
    be concentrated anywhere.
    """
    kinds = {array.dtype.kind, other.dtype.kind}
    if array.ndim < 2 or not 0 < array.size <= _MOST or not kinds <= set("fiub"):
        return ()
    x, y = array.astype(np.float64), other.astype(np.float64)
    gap = gaps(x, y)
    scale = max(magnitude(x), magnitude(y))
    found = [item for axis in range(x.ndim) for item in _along(x, y, gap, axis, scale, differs=differs)]
    kept: dict[str, SliceErrors] = {}
    for item in sorted(found, key=lambda item: (len(item.indices) / item.size, item.axis)):
        kept.setdefault(item.kind, item)
    if "zero" in kept and "small" in kept and kept["small"].axis != kept["zero"].axis:
        del kept["small"]
    return tuple(kept.values())


def _along(x: Array, y: Array, gap: Array, axis: int, scale: float, *, differs: bool) -> Iterator[SliceErrors]:
    size = x.shape[axis]
    if size < 2 or x.size // size < _LEAST or not gap.any():
        return
    rest = tuple(other for other in range(x.ndim) if other != axis)
    most = gap.max(axis=rest)
    sides = [np.abs(np.where(np.isfinite(side), side, 0)).max(axis=rest) for side in (x, y)]
    own = np.maximum(*sides)
    with np.errstate(all="ignore"):
        relative = np.where(own > 0, most / own, 0)
        weight = np.isinf(gap).astype(np.float64) if np.isinf(gap).any() else gap * gap
    squares = weight.sum(axis=rest)
    share = squares / squares.sum() if squares.sum() > 0 else squares

    def told(kind: Literal["zero", "concentrated", "small"], chosen: Array, zero: Any = "") -> SliceErrors:
        indices = tuple(int(index) for index in np.sort(chosen))
        part = list(indices)
        return SliceErrors(kind, axis, size, indices, float(relative[part].max()), float(share[part].sum()), zero)

    is_loud = own > _FAINT * scale
    for place, name in enumerate(("model", "other")):
        chosen = np.flatnonzero((sides[place] == 0) & (sides[1 - place] > 0) & is_loud)
        if 0 < chosen.size < size:
            yield told("zero", chosen, name)
    order = np.argsort(-share, kind="stable")
    count = int(np.searchsorted(np.cumsum(share[order]), _SHARE)) + 1
    if differs and count * _FEW <= size:
        yield told("concentrated", order[:count])
    whole = float(gap.max()) / scale if scale else 0.0
    is_zero = (sides[0] == 0) | (sides[1] == 0)
    chosen = np.flatnonzero((relative > max(_NOTED, 10 * whole)) & is_loud & ~is_zero)
    if 0 < chosen.size < size:
        yield told("small", chosen)
