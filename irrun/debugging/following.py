"""The layer of shape arithmetic that makes two layers read other numbers, or a constant that is none of these."""

from __future__ import annotations

from typing import Final

import numpy as np

from irrun.debugging.aligning import Alignment
from irrun.debugging.causes import Cause, Told, cause_of, unconverted, values_of
from irrun.debugging.replaying import Layers
from irrun.debugging.resembling import SAME, distance
from irrun.graph import Outlet
from irrun.tensor import Array

_DEEPEST: Final = 12
"""Layers of shape arithmetic from the end of a region back to the one that differs."""

_TOLD: Final = frozenset({"attribute", "constant", "quantisation"})
"""Causes that tell what differs."""


def of_arithmetic(found: Alignment, id: int, other: int) -> Told | None:
    """Return the layers of shape arithmetic that make two layers of a type read other numbers.

    From the two layers back, along the one input whose numbers are known on both sides and differ, up to layers of
    which one gives the numbers of the other once it has the constants, or the attributes, of that.
    """
    for _ in range(_DEEPEST):
        ours, theirs = found.ours, found.theirs
        if ours.node(id).type != theirs.node(other).type:
            return None
        cause = cause_of(found, id, other)
        if cause.name in _TOLD and _explains(ours, id, theirs, other):
            return Told(id, other, cause)
        apart = [
            (a, b)
            for a, b in zip(ours.sources(id), theirs.sources(other), strict=False)
            if a is not None and b is not None and _numbers_differ(ours, a, theirs, b)
        ]
        if len(apart) != 1:
            return None
        first, second = unconverted(ours, apart[0][0]), unconverted(theirs, apart[0][1])
        if first is None or second is None or first.node not in ours.steps or second.node not in theirs.steps:
            return None
        id, other = first.node, second.node
    return None


def of_stored(found: Alignment, id: int, other: int) -> Told | None:
    """Return two layers that differ in one input: on one side a constant, which the other side computes from shapes."""
    ours, theirs = found.ours, found.theirs
    if ours.node(id).type != theirs.node(other).type:
        return None
    own, its, apart = ours.constants(id), theirs.constants(other), list[tuple[str, Array, Array]]()
    for port, (a, b) in enumerate(zip(ours.sources(id), theirs.sources(other), strict=False)):
        if a is not None and b is not None:
            if found.found.get(a) != b:
                return None
            continue
        first = own.get(port) if a is None else _following(ours, a)
        second = its.get(port) if b is None else _following(theirs, b)
        if first is None or second is None:
            return None
        if distance(first, second) > SAME:
            layers, at = (ours, id) if a is None else (theirs, other)
            apart.append((next((name for name, _ in values_of(layers, at, port)), ""), first, second))
    if len(apart) != 1:
        return None
    name, first, second = apart[0][0], *found.in_order(*apart[0][1:])
    if first.size == second.size:
        count = int(np.count_nonzero(first.reshape(-1) != second.reshape(-1)))
        where = f"in {count:,} of {first.size:,} elements"
    else:
        where = f"{first.size:,} elements beside {second.size:,}"
    return Told(id, other, Cause("constant", f'"{name}" is not what the other model computes, {where}', (name,)))


def _following(layers: Layers, outlet: Outlet) -> Array | None:
    """Return a tensor that follows from shapes."""
    fact = layers.model.facts.get(outlet)
    return None if fact is None else fact.constant


def _known(layers: Layers, outlet: Outlet) -> Array | None:
    """Return integers that follow from shapes."""
    found = _following(layers, outlet)
    return None if found is None or found.dtype.kind == "f" else found


def _numbers_differ(ours: Layers, outlet: Outlet, theirs: Layers, other: Outlet) -> bool:
    a, b = _known(ours, outlet), _known(theirs, other)
    return a is not None and b is not None and not (a.size == b.size and np.array_equal(a.reshape(-1), b.reshape(-1)))


def _explains(ours: Layers, id: int, theirs: Layers, other: int) -> bool:
    """Return whether a layer of shape arithmetic gives the numbers of another one with the constants of that."""
    result = _known(theirs, Outlet(other, 0))
    given = [None if outlet is None else _known(ours, outlet) for outlet in ours.sources(id)]
    own, its = ours.constants(id), theirs.constants(other)
    filled = [
        its[port].astype(own[port].dtype) if array is None and port in own and port in its else array
        for port, array in enumerate(given)
    ]
    made = ours.compute(id, filled)
    return result is not None and made is not None and distance(made[0], result) == 0
