"""The share of a tensor that a FakeQuantize clips."""

from __future__ import annotations

from collections.abc import Iterator

from irrun.debugging.replaying import Layers
from irrun.tensor import Array


def clipping(layers: Layers, id: int, array: Array) -> str:
    """Return in words how much of the input of a FakeQuantize is beyond its range; the empty text for nothing."""
    limits = layers.constants(id)
    found = list(_ends(array, limits[1], limits[2])) if {1, 2} <= limits.keys() and array.size else []
    return f"clipped: {' and '.join(found)}" if found else ""


def _ends(array: Array, low: Array, high: Array) -> Iterator[str]:
    for name, is_beyond in (("lower", array < low), ("upper", array > high)):
        if is_beyond.any():
            yield f"{100 * float(is_beyond.mean()):.2g} % at the {name} end"
