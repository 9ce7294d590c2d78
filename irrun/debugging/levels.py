"""The loss of a tensor by the levels of a FakeQuantize, and whether it is no more than these explain."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from irrun.debugging.replaying import Layers
from irrun.debugging.resembling import SAME, distance
from irrun.graph import Outlet
from irrun.tensor import Array

ROUNDING: Final = "rounding"
QUANTISATION: Final = "quantisation"

QUANTISER: Final = "FakeQuantize"
CODING: Final = frozenset({QUANTISER, "Convert", "Subtract", "Multiply", "Divide", "Add", "Reshape", "Transpose"})
"""Layers between a tensor and its quantised form."""

_FARTHEST: Final = 8

_TWICE: Final = 2.0
"""The most that a tensor may lose on its way through quantisers, as a multiple of what these lose."""

_USUAL: Final = 255
"""The steps of a usual quantiser."""

_CLIPPED: Final = 0.05
"""The share of elements beyond the range of a quantiser that calibration may give up."""

_SLACK: Final = 0.25
"""The part of its range by which elements may be beyond it, as where layers before it were not quantised."""

_SLICE: Final = 8
"""Elements that a slice has at least which is looked at by itself."""

HALF_STEP: Final = 0.51
"""The error of rounding to levels in steps."""


class Loss(NamedTuple):
    """The loss of an input: ``kind`` is rounding or quantisation, ``noise`` a multiple of the usual error.

    ``what`` is told of all layers, ``detail`` of this one: what else is coarser, and how much is clipped.
    """

    kind: str
    what: str
    noise: float
    detail: str = ""


class LayerInputs(NamedTuple):
    """The inputs of a layer of a model: its tensors by input, None for a constant, and where each tensor comes from."""

    layers: Layers
    id: int
    inputs: Sequence[Array | None]
    value: Callable[[Outlet], Array | None]


def tensor_loss(whole: Array, read: LayerInputs, port: int) -> Loss | None:
    """Return what a tensor loses on its way through quantisers to an input; None where it does not come from there."""
    layers, at = read.layers, read.layers.sources(read.id)[port]
    noise, rounded, given = 0.0, 1.0, read.inputs[port]
    told: list[str] = []
    for _ in range(_FARTHEST):
        array = None if at is None else read.value(at)
        if at is None or array is None:
            return None
        if distance(whole, array) <= SAME:
            is_usual = told and given is not None and _noise(whole, given) <= _TWICE * rounded
            detail = ", ".join(filter(None, dict.fromkeys(reversed(told))))
            return Loss(QUANTISATION, "activations rounded to levels", noise, detail) if is_usual else None
        if at.node not in layers.steps or layers.node(at.node).type not in CODING:
            return None
        sources = [source for source in layers.sources(at.node) if source is not None]
        if len(sources) != 1:
            return None
        before = read.value(sources[0])
        if layers.node(at.node).type == QUANTISER and before is not None:
            rounding = f"activations rounded to {levels_of(layers, at.node)} levels"
            told += [clipping(layers, at.node, before), rounding]
            found = quantiser_noise(layers, at.node, before, array)
            if found is None:
                return None
            noise, rounded = max(noise, found), max(rounded, _noise(before, array))
        at = sources[0]
    return None


def quantiser_noise(layers: Layers, id: int, array: Array, levels: Array, *, slices: bool = False) -> float | None:
    """Return the error of a FakeQuantize as a multiple of what 8 bits need for its input; None where it is a fault.

    A fault is an error of more than half a step inside of the range, or many elements outside of it; few elements
    that are slightly outside do not count. With ``slices``, a slice along an axis is a fault, too, if all its elements
    become one level.
    """
    limits = layers.constants(id)
    if not {1, 2, 3, 4} <= limits.keys() or array.shape != levels.shape or not array.size:
        return None
    x, y = array.astype(np.float64), levels.astype(np.float64)
    low, high, first, last = (limits[port].astype(np.float64) for port in (1, 2, 3, 4))
    count = max(levels_of(layers, id) - 1, 1)
    step = np.broadcast_to((high - low) / count, x.shape)
    inside = (x >= low - step / 2) & (x <= high + step / 2)
    clipped = 1.0 - float(inside.mean())
    gap = np.abs(y - x)
    scale = float(np.abs(x).max())
    if clipped > _CLIPPED or (gap[inside] > HALF_STEP * step[inside] + 1e-5 * scale).mean() > 0.001:
        return None
    if not (
        np.allclose(first, low, rtol=1e-3, atol=1e-6 * scale) and np.allclose(last, high, rtol=1e-3, atol=1e-6 * scale)
    ):
        return None
    if slices and _swallows(x, y):
        return None
    slack = _SLACK * (high - low)
    beyond = (x < low) & (x > low - slack) | (x > high) & (x < high + slack)
    return _noise(np.where(beyond, y, x), y)


def _noise(array: Array, levels: Array) -> float:
    """Return the error of a tensor that is rounded to levels, as a multiple of what 8 bits need, 0 among the levels."""
    x, y = array.reshape(-1).astype(np.float64), levels.reshape(-1).astype(np.float64)
    needed = float(x.max(initial=0.0) - x.min(initial=0.0)) / _USUAL / np.sqrt(12) if x.size == y.size else 0.0
    return float(np.sqrt(np.mean((x - y) ** 2))) / needed if needed else 0.0


def _swallows(x: Array, y: Array) -> bool:
    """Return whether a slice of some elements that differ becomes a single number."""
    for axis in range(x.ndim):
        along = tuple(other for other in range(x.ndim) if other != axis)
        if x.size // x.shape[axis] >= _SLICE:
            varies = np.ptp(x, axis=along) > 1e-3 * np.abs(x).max(along) + 1e-9
            if (varies & (np.ptp(y, axis=along) == 0)).any():
                return True
    return False


def levels_of(layers: Layers, node: int) -> int:
    return int(getattr(layers.node(node).op, "levels", 256))


def clipping(layers: Layers, id: int, array: Array) -> str:
    """Return in words how much of the input of a FakeQuantize is beyond its range; the empty text for nothing."""
    limits = layers.constants(id)
    found = list(_ends(array, limits[1], limits[2])) if {1, 2} <= limits.keys() and array.size else []
    return f"clipped: {' and '.join(found)}" if found else ""


def _ends(array: Array, low: Array, high: Array) -> Iterator[str]:
    for name, is_beyond in (("lower", array < low), ("upper", array > high)):
        if is_beyond.any():
            yield f"{100 * float(is_beyond.mean()):.2g} % at the {name} end"
