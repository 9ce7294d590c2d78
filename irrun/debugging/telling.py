"""The layers of a region that tell what differs: those that one side lacks, and pairs that have other attributes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Final

from irrun.debugging.aligning import Alignment
from irrun.debugging.causes import (
    ROUNDED,
    Cause,
    Told,
    are_turned,
    cause_of,
    factor_of,
    is_turned,
    moves,
    reads,
    unconverted,
    values_of,
)
from irrun.debugging.levels import CODING, QUANTISER
from irrun.debugging.quantising import constant_loss
from irrun.debugging.replaying import Layers
from irrun.debugging.resembling import SAME, distance
from irrun.graph import Node, Outlet
from irrun.tensor import Array

_RESHAPING: Final = frozenset({"Reshape", "Squeeze", "Unsqueeze"})
"""Layers that keep the elements in their order."""


@dataclass(frozen=True, slots=True)
class RegionPart:
    """The layers of a region on each side, and those of each side beyond those of the same type of the other one."""

    found: Alignment
    layers: Sequence[int]
    others: Sequence[int]
    mine: Sequence[int]
    its: Sequence[int]

    @classmethod
    def of(cls, found: Alignment, layers: Sequence[int], others: Sequence[int]) -> RegionPart:
        sides = (found.ours, layers), (found.theirs, others)
        mine, its = (Counter(side.node(id).type for id in ids) for side, ids in sides)
        left = mine - its, its - mine
        beyond: tuple[list[int], list[int]] = [], []
        for place, (side, ids) in enumerate(sides):
            for id in ids:
                if left[place][side.node(id).type] > 0:
                    left[place][side.node(id).type] -= 1
                    beyond[place].append(id)
        return cls(found, layers, others, *beyond)

    def surplus(self) -> tuple[Sequence[int], Sequence[int]]:
        """Return the layers of each side that the other one lacks.

        A factor that one side has in a constant, and the other one in a layer of its own, counts on neither.
        """
        own = [id for id in self.mine if self.found.ours.factor(id) is None]
        left = [id for id in self.its if self.found.theirs.factor(id) is None]
        if (own, left) in ((self.mine, self.its), ([], [])):
            return self.mine, self.its
        is_taken_back = any(self.is_taken_back(id, other) for id in self.layers for other in self.others)
        return (own, left) if is_taken_back else (self.mine, self.its)

    def is_taken_back(self, id: int, other: int) -> bool:
        """Return whether the constants of two layers differ by a factor only, which layers of one side take back."""
        ours, theirs = self.found.ours, self.found.theirs
        own, its = ours.constants(id), theirs.constants(other)
        both = [port for port in own.keys() & its.keys() if own[port].size > 1]
        if not both or ours.node(id).type != theirs.node(other).type:
            return False
        sides = (ours, self.mine), (theirs, self.its)
        before, after = (prod([side.factor(at) or 1.0 for at in ids]) for side, ids in sides)
        factors = [factor_of(own[port], its[port]) for port in both]
        return all(factor is not None and abs(factor * after - before) <= ROUNDED * abs(before) for factor in factors)


def told(part: RegionPart, end: int, twin: int) -> Told | None:
    """Return the layers of a region, or before it, that tell what differs; ``end`` and ``twin`` are its last ones."""
    found, layers, others = part.found, part.layers, part.others
    if not layers or not others:
        return _read_alike(part, layers, others, (end, twin))
    if len(layers) == len(others) == 1 and not _is_one_quantiser(found, layers[0], others[0]):
        return Told(layers[0], others[0], cause_of(found, layers[0], others[0]))
    mine, its = part.surplus()
    first = (
        _inner(part)
        or (None if mine or its else _misreading(found, layers, others))
        or _read_alike(part, mine, its, (end, twin))
    )
    if first is not None:
        return first
    is_moved = all(moves(side, id) for side, ids in ((found.ours, mine), (found.theirs, its)) for id in ids)
    if (mine or its) and is_moved and found.ours.node(end).type == found.theirs.node(twin).type:
        cause = cause_of(found, end, twin)
        return Told(end, twin, cause._replace(name="input") if cause.name == "implementation" else cause)
    return _by_constants(part) or _of_types(found, mine, its)


def _is_one_quantiser(found: Alignment, id: int, other: int) -> bool:
    """Return whether one of two layers is a quantiser."""
    return (found.ours.node(id).type == QUANTISER) != (found.theirs.node(other).type == QUANTISER)


def computing(layers: Layers, ids: Sequence[int]) -> list[int]:
    """Return the layers of some that neither move nor round tensors."""
    return [id for id in ids if not (moves(layers, id) or layers.node(id).type == QUANTISER)]


def most_telling(layers: Layers, ids: Sequence[int]) -> Node:
    """Return the layer of some that tells most: one that computes, else a quantiser, else the first."""
    nodes = [layers.node(id) for id in ids]
    return next(
        (node for node in nodes if node.type not in CODING),
        next((node for node in nodes if node.type == QUANTISER), nodes[0]),
    )


def _of_types(found: Alignment, mine: Sequence[int], its: Sequence[int]) -> Told | None:
    """Return the one layer of each side that the other side does not have, beside what moves or rounds tensors."""
    a, b = computing(found.ours, mine), computing(found.theirs, its)
    return Told(a[0], b[0], cause_of(found, a[0], b[0])) if len(a) == len(b) == 1 else None


def _by_constants(part: RegionPart) -> Told | None:
    """Return the layers of a region that read the only constants of several elements that one side alone has.

    Weights in the other order are the same.
    """
    ours, theirs = part.found.ours, part.found.theirs
    mine, its = list(_arrays(ours, part.layers)), list(_arrays(theirs, part.others))
    left = [item for item in mine if not any(distance(item[2], other[2]) <= SAME**2 for other in its)]
    right = [item for item in its if not any(distance(item[2], other[2]) <= SAME**2 for other in mine)]
    if len(left) != 1 or len(right) != 1 or left[0][2].size != right[0][2].size:
        return None
    (id, port, array), (other, at, its_array) = left[0], right[0]
    if part.is_taken_back(id, other) or (are_turned(part.found, id, other) and is_turned(array, its_array)):
        return None
    first, _ = part.found.in_order(values_of(ours, id, port), values_of(theirs, other, at))
    return Told(id, other, Cause("constant", constants=tuple(name for name, _ in first[:1])))


def _arrays(layers: Layers, ids: Sequence[int]) -> Iterator[tuple[int, int, Array]]:
    """Yield the constants of several floats that layers read, with layer and input."""
    for id in ids:
        for port, array in layers.constants(id).items():
            if array.size > 1 and array.dtype.kind == "f":
                yield id, port, array


def _inner(part: RegionPart) -> Told | None:
    """Return the layer of a region that has an attribute or a constant of its own, with its counterpart by type.

    A factor of a constant that another layer of the region takes back is not told; nor is a Reshape where each side
    has a layer that computes something else.
    """
    found, left = part.found, list(part.others)
    is_computed_otherwise = bool(computing(found.ours, part.mine) and computing(found.theirs, part.its))
    for id in part.layers:
        node = found.ours.node(id)
        if node.type in _RESHAPING and is_computed_otherwise:
            continue
        alike = [other for other in left if found.theirs.node(other).type == node.type]
        named = [other for other in alike if found.theirs.node(other).name == node.name]
        other = next(iter(named or alike), None)
        if other is None:
            continue
        left.remove(other)
        cause = cause_of(found, id, other)
        is_constant = cause.name in ("constant", "quantisation") and cause.constants
        is_told = (
            is_constant
            and not _is_coarse(found, id, other)
            and not ((part.mine or part.its) and part.is_taken_back(id, other))
        )
        if cause.name == "attribute" or is_told:
            return Told(id, other, cause)
    return None


def _misreading(found: Alignment, layers: Sequence[int], others: Sequence[int]) -> Told | None:
    """Return the first layer of a region whose counterpart by type reads other tensors that agree."""
    for id in layers:
        other = next((at for at in others if found.theirs.node(at).type == found.ours.node(id).type), None)
        if other is not None and all(source in found.found for source in found.ours.sources(id) if source is not None):
            cause = cause_of(found, id, other)
            if cause.name in ("input", "order"):
                return Told(id, other, cause)
    return None


def _is_coarse(found: Alignment, id: int, other: int) -> bool:
    """Return whether the constants of two layers differ by no more than their levels explain."""
    own, its = found.ours.constants(id), found.theirs.constants(other)
    losses = [constant_loss(found.ours, id, found.theirs, other, port) for port in own.keys() & its.keys()]
    return all(loss is not None for loss in losses)


def _read_alike(part: RegionPart, layers: Sequence[int], others: Sequence[int], ends: tuple[int, int]) -> Told | None:
    """Return a layer that one side seems to lack, and the one there that reads the same, if these two differ.

    Of several such, one is at the end of the region, or before it where the other side reads something else: its tensor
    equals that of another layer by chance, as where a slice begins where another one does.
    """
    found = part.found
    ours, theirs = found.ours, found.theirs
    mine, its = _read_by(ours, part.layers), _read_by(theirs, part.others)
    before = {s.node for s in mine if found.found.get(s) not in its}
    beside = {s.node for s in its - {found.found.get(s) for s in mine}}
    pairs = [(id, other, other not in beside) for id in layers for other in theirs.steps]
    pairs += [(id, other, id not in before) for other in others for id in ours.steps]

    def rank(pair: tuple[int, int, bool]) -> tuple[bool, bool, bool]:
        id, other, is_elsewhere = pair
        return id != ends[0] and other != ends[1], ours.node(id).name != theirs.node(other).name, is_elsewhere

    for id, other, _ in sorted(pairs, key=rank):
        if ours.node(id).type != theirs.node(other).type:
            continue
        if reads(found, id) == [unconverted(theirs, outlet) for outlet in theirs.sources(other)]:
            cause = cause_of(found, id, other)
            if cause.name in ("attribute", "constant"):
                return Told(id, other, cause)
    return None


def _read_by(layers: Layers, ids: Sequence[int]) -> set[Outlet]:
    return {source for id in ids for source in layers.sources(id) if source is not None}
