"""Why a layer differs from its counterpart in another model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from irrun.debugging.aligning import Alignment
from irrun.debugging.levels import QUANTISATION, QUANTISER
from irrun.debugging.quantising import chain_of, constant_loss
from irrun.debugging.replaying import COMMUTATIVE, Layers
from irrun.debugging.resembling import SAME, distance
from irrun.graph import Outlet
from irrun.tensor import Array

MOVING: Final = frozenset({"Reshape", "Squeeze", "Unsqueeze", "Transpose"})
"""Layers that compute nothing."""

_SIZES: Final = {"i32", "i64"}
"""The types of sizes and indices."""

_IDENTITY: Final = {"Add": 0, "Subtract": 0, "Multiply": 1, "Divide": 1}
"""The second operand that leaves the first as it is."""

_TURNS: Final = frozenset({"transpose_a", "transpose_b"})
"""Attributes that an exporter chooses with the order of the weights: where these differ, they tell nothing."""

ROUNDED: Final = 0.01
"""The error of a constant in 8 bits, at most, as a share of its largest magnitude."""

_FEW: Final = 4
"""The elements up to which the values of a constant are printed."""


class Cause(NamedTuple):
    """A cause with its details and the constants that differ."""

    name: str
    what: str = ""
    constants: tuple[str, ...] = ()


class Told(NamedTuple):
    """A layer and its counterpart, and why they differ."""

    id: int
    other: int
    cause: Cause


def cause_of(found: Alignment, id: int, other: int) -> Cause:
    """Return why a layer differs from its counterpart, the details, and the constants that differ."""
    ours, theirs = found.ours, found.theirs
    node, twin = ours.node(id), theirs.node(other)
    if node.type != twin.type:
        return Cause("type", " beside ".join(found.in_order(node.type, twin.type)))
    changed = _attributes(*found.in_order(node.op, twin.op))
    first, second = found.in_order((ours, id), (theirs, other))
    names: list[str] = []
    coarse: list[str] = []
    told: list[str] = []
    is_coded = node.type == QUANTISER
    own, its = ours.constants(id), theirs.constants(other)
    both = sorted(own.keys() & its.keys())
    for port in both:
        loss = constant_loss(ours, id, theirs, other, port)
        if loss is None:
            names += _changed(*first, *second, port)
            told += _contrasts(values_of(*first, port), values_of(*second, port))
            chains = ((side, at) for side, key in ((ours, id), (theirs, other)) for at in chain_of(side, key, port))
            is_coded = is_coded or any(side.node(at).type in (QUANTISER, "Subtract", "Multiply") for side, at in chains)
        elif loss.kind == QUANTISATION:
            coarse += _changed(*first, *second, port)
    may_be_order = bool(names) and {key for key, _ in changed} <= _TURNS
    if changed and not (may_be_order and not all(_is_as_stored(own[port], its[port]) for port in both)):
        return Cause("attribute", ", ".join(text for _, text in changed), tuple(names))
    if names and not (changed and may_be_order and all(is_turned(own[port], its[port]) for port in both)):
        kind = "quantisation" if is_coded else "constant"
        return Cause(kind, ", ".join(dict.fromkeys(told)), tuple(dict.fromkeys(names)))
    mine, read = reads(found, id), [unconverted(theirs, outlet) for outlet in theirs.sources(other)]
    is_swapped = Counter(mine) == Counter(read) or _is_exchanged(mine, read)
    if mine != read and not (is_swapped and node.type in COMMUTATIVE):
        return (
            Cause("order", "the inputs are in another order")
            if is_swapped
            else Cause("input", "it reads another tensor")
        )
    return Cause("quantisation", constants=tuple(coarse)) if coarse else Cause("implementation")


def are_turned(found: Alignment, id: int, other: int) -> bool:
    """Return whether two products differ in nothing but what they transpose."""
    changed = {key for key, _ in _attributes(found.ours.node(id).op, found.theirs.node(other).op)}
    return bool(changed) and changed <= _TURNS


def is_turned(a: Array, b: Array) -> bool:
    """Return whether weights are those of the other side in the other order."""
    return a.ndim == 2 and a.T.shape == b.shape and distance(a.T, b) <= SAME


def _is_as_stored(a: Array, b: Array) -> bool:
    """Return whether weights are those of the other side but for a factor, and not the transposed ones."""
    is_square = a.ndim == 2 and a.shape == b.shape and a.shape[0] == a.shape[1]
    return is_square and factor_of(a, b) is not None and factor_of(a, b.T) is None


def factor_of(a: Array, b: Array) -> float | None:
    """Return the number by which a constant is another one, but for rounding to 8 bits; None where there is none."""
    if a.shape != b.shape or a.dtype.kind != "f" or b.dtype.kind != "f":
        return None
    x, y = a.astype(np.float64), b.astype(np.float64)
    with np.errstate(all="ignore"):
        factor = float((x * y).sum() / (x * x).sum())
        apart = np.abs(y - x * factor).max(initial=0.0)
    return factor if apart <= ROUNDED * np.abs(y).max(initial=0.0) else None


def reads(found: Alignment, id: int) -> list[Outlet | None]:
    """Return the counterparts of what a layer reads, by input; None for a constant of either side."""

    def counterpart(outlet: Outlet | None) -> Outlet | None:
        if outlet is not None and outlet not in found.found:
            outlet = unconverted(found.ours, outlet)
        return None if outlet is None else found.found.get(outlet)

    return [unconverted(found.theirs, counterpart(outlet)) for outlet in found.ours.sources(id)]


def _is_exchanged(read: Sequence[Outlet | None], other: Sequence[Outlet | None]) -> bool:
    """Return whether the one tensor that both of two layers read is at another of two inputs; constants are None."""
    both = [outlet for outlet in read if outlet is not None and outlet in other]
    is_mixed = len(read) == len(other) == 2 and len(both) == 1 and None in (*read, *other)
    return is_mixed and read.index(both[0]) != other.index(both[0])


def unconverted(layers: Layers, outlet: Outlet | None) -> Outlet | None:
    """Return the tensor that some layers convert to other floats, or other integers; None for a constant."""
    while outlet is not None and outlet.node in layers.steps and layers.node(outlet.node).type == "Convert":
        if not moves(layers, outlet.node):
            break
        outlet = layers.sources(outlet.node)[0]
    return outlet if outlet is not None and layers.is_computed(outlet.node) else None


def _attributes(op: Any, other: Any) -> list[tuple[str, str]]:
    """Return the names of the attributes that differ, each with both values in words."""
    a, b = (vars(item) if item is not None else {} for item in (op, other))
    names = [key for key in {**a, **b} if str(a.get(key)) != str(b.get(key))]
    return [(key, f"{key} {a.get(key)} beside {b.get(key)}") for key in names]


def _changed(ours: Layers, id: int, theirs: Layers, other: int, port: int) -> list[str]:
    """Return the names of the constants, of those that make an input, whose values differ."""
    mine = values_of(ours, id, port)
    its = values_of(theirs, other, port)
    if len(mine) == len(its):
        names = [name for (name, a), (_, b) in zip(mine, its, strict=True) if not _equal(a, b)]
        if names:
            return names
    return [name for name, _ in mine[:1]]


def values_of(layers: Layers, id: int, port: int) -> list[tuple[str, Array | None]]:
    facts = layers.model.facts
    chain = [at for at in chain_of(layers, id, port) if layers.node(at).type == "Const"]
    return [(layers.node(at).name, fact.constant if (fact := facts.get(Outlet(at, 0))) else None) for at in chain]


def _contrasts(mine: Sequence[tuple[str, Array | None]], its: Sequence[tuple[str, Array | None]]) -> Iterator[str]:
    """Yield how constants differ, in words: both values of few elements, else the number of elements that differ."""
    for (name, a), (_, b) in zip(mine, its, strict=False):
        if a is None or b is None or len(mine) != len(its) or _equal(a, b):
            continue
        if max(a.size, b.size) <= _FEW:
            yield f'"{name}" {_text(a)} beside {_text(b)}'
        elif a.shape == b.shape:
            yield f'"{name}" in {int(np.count_nonzero(a != b)):,} of {a.size:,} elements'


def _text(array: Array) -> str:
    values = [f"{value:.6g}" if array.dtype.kind == "f" else str(value) for value in array.reshape(-1).tolist()]
    return values[0] if array.size == 1 else f"[{', '.join(values)}]"


def _equal(a: Array | None, b: Array | None) -> bool:
    if a is None or b is None or a.shape != b.shape:
        return False
    return bool((a == b).all()) if a.dtype.kind != "f" else bool(((a == b) | ((a != a) & (b != b))).all())


def moves(layers: Layers, id: int) -> bool:
    """Return whether a layer computes nothing, converts floats to floats, adds zero or multiplies by one.

    Integers of 32 and of 64 bits are converted to each other, too: sizes and indices fit both.
    """
    node, constants = layers.node(id), layers.constants(id)
    if node.type in _IDENTITY and 1 in constants:
        return bool((constants[1] == _IDENTITY[node.type]).all())
    sources = [layers.model.facts.get(outlet) for outlet in layers.graph.sources(id)[:1] if outlet is not None]
    types = (*layers.steps[id].types, *(fact.type for fact in sources if fact))
    is_alike = all(type.is_float for type in types) or {type.name for type in types} <= _SIZES
    return node.type in MOVING or (node.type == "Convert" and is_alike)
