"""Values worth comparing: finite, of a size that all types hold, and not many."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from irrun.ops import OpError
from irrun.ops.calling import conform
from irrun.tensor import Array, ElementType
from tests.lab.graphs.evaluate import Use
from tests.ops.random_draws import Random

MOST_ELEMENTS: Final = 3000
MOST_RANK: Final = 6
_LARGEST: Final = 3e4
"""The largest float: f16 holds twice as much."""
_SMALLEST: Final = 1e-25
_LARGEST_INTEGER: Final = 1 << 24
"""Integers up to this are exact in float32, in which some kernels of the plugin compute them."""
_WORDS: Final = ("", "a", "irrun", "OpenVINO", "naïve", "数", "two words", "0")
_ARITHMETIC: Final = ("arithmetic", "reduction", "matrix", "convolution", "bitwise", "activation", "sparse", "movement")


def draw_array(draw: Random, type: ElementType, shape: Sequence[int], low: float, high: float) -> Array:
    """Values of a type between two bounds."""
    if type.kind == "string":
        array = np.empty(tuple(shape), dtype=object)
        array.reshape(-1)[:] = [draw.pick(_WORDS) for _ in range(array.size)]
        return array
    if type.kind == "boolean":
        return np.asarray(draw.source.integers(0, 2, tuple(shape)), np.bool_)
    if type.is_integer:
        least, most = type_range(type)
        low, high = max(math.ceil(low), least), min(math.floor(high), most)
        return np.asarray(draw.source.integers(low, max(high, low) + 1, tuple(shape)), type.dtype)
    drawn = np.asarray(draw.source.uniform(low, high, tuple(shape)), type.dtype)
    if low <= 0 <= high and draw.chance(0.1):
        drawn = np.where(draw.source.random(tuple(shape)) < 0.3, 0, drawn)
    return conform(drawn, type)


def holds(type: ElementType, numbers: ArrayLike) -> bool:
    """Return whether a type can hold all numbers, ignoring fractions."""
    array = np.asarray(numbers)
    if not type.is_integer or array.size == 0 or array.dtype.kind == "b":
        return True
    least, most = type_range(type)
    return least - 1 < float(array.min()) and float(array.max()) < most + 1


def type_range(type: ElementType) -> tuple[int, int]:
    """The least and the greatest number of an integer type."""
    least = -(1 << (type.bits - 1)) if type.kind == "int" else 0
    return least, least + (1 << type.bits) - 1


def useless(use: Use) -> str | None:
    """Why the outputs of a layer are not worth comparing, or None."""
    for array in use.outputs:
        if array.size > MOST_ELEMENTS:
            return "too large"
        if array.ndim > MOST_RANK:
            return "too many axes"
        if array.dtype.kind == "f" and array.size:
            if not np.isfinite(array).all():
                return "not finite"
            size = np.abs(array[array != 0])
            if size.size and (size.max() > _LARGEST or size.min() < _SMALLEST):
                return "out of range"
        if array.dtype.kind in "iu" and array.size and np.abs(array.astype(np.int64)).max() > _LARGEST_INTEGER:
            return "out of range"
    return "wraps" if _wraps(use) else None


def _wraps(use: Use) -> bool:
    """Return whether an integer result differs from that of unbounded integers."""
    spec = use.op.spec
    if spec.category not in _ARITHMETIC or spec.run_asks or not any(array.dtype.kind in "iu" for array in use.outputs):
        return False
    if spec.type == "BitwiseNot" or all(array.dtype == np.int64 for array in use.outputs):
        return False
    wide = [array.astype(np.int64) if array.dtype.kind in "iu" else array for array in use.inputs]
    padded = [*wide, *(None for port in use.op.inputs[len(wide) :] if not port.variadic)]
    try:
        with np.errstate(all="ignore"):
            returned = use.op.run(*padded)
    except (OpError, ValueError, TypeError, IndexError):
        return False
    results = returned if isinstance(returned, tuple | list) else (returned,)
    return not all(np.array_equal(a, b) for a, b in zip(results, use.outputs, strict=True) if b.dtype.kind in "iu")
