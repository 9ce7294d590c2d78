"""From an alignment of two models to what is claimed: which layers are suspected, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import prod
from statistics import median
from typing import Final, NamedTuple

from irrun.debugging.aligning import Alignment, Region
from irrun.debugging.causes import ROUNDED, Cause, cause_of, factor_of, moves, reads, unconverted, values_of
from irrun.debugging.quantising import CODING, QUANTISATION, QUANTISER, ROUNDING, constant_loss
from irrun.debugging.replaying import Layers
from irrun.debugging.resembling import SAME, distance
from irrun.debugging.verdicts import WIDEST, Cut, LayerLoss, Suspect, Verdict
from irrun.diagnostics import amount
from irrun.graph import Node
from irrun.tensor import Array

_VAGUE: Final = frozenset({"structure", "implementation", "input", "missing"})
"""Causes that do not tell what differs: behind shape arithmetic, the fault may be there."""

_NOISE: Final = 6.0
"""The error of quantised activations up to which it is usual, as a multiple of what 8 bits need."""

_OUTLIER: Final = 6.0
"""The same as a multiple of that of the other layers."""

_SHOWN: Final = 10
"""Layers that lose most, which a verdict has."""


def verdict_of(found: Alignment) -> Verdict:
    """Return what an alignment of two models shows of outputs that differ."""
    coarse = [region for region in found.regions if _is_usual(found, region)]
    places = {id: place for place, id in enumerate(found.ours.steps)}
    told = [
        (places.get(region.end.node, -1), _suspect(found, region)) for region in found.regions if region not in coarse
    ]
    told += [(places.get(id, -1), suspect) for id, suspect in _noisy(found)]
    suspects = [suspect for _, suspect in sorted(told, key=lambda item: item[0])]
    wide = [region for region in found.regions if _size(found, region) > WIDEST]
    if not found.is_explained:
        first = suspects[0] if suspects and not wide else None
        known = f"; {first.name or first.other} differs, but does not explain it" if first is not None else ""
        return Verdict("unknown", reason=f"no layer was found whose difference explains that of the outputs{known}")
    if wide:
        a, b = (max(len(getattr(region, side)) for region in wide) for side in ("layers", "others"))
        where = f"between {amount(a, 'layer')} and {amount(b, 'layer')} of the other side"
        return Verdict("unknown", reason=f"the difference begins {where} that have no counterpart one by one")
    if suspects and suspects[0].cause in _VAGUE and any(_has_arithmetic(found, region) for region in found.regions):
        return Verdict("unknown", reason="the difference begins in shape arithmetic, or behind it")
    if suspects:
        return Verdict("different", tuple(suspects), suspects[0].cause, suspects[0].what, _losses(found))
    if coarse:
        return Verdict("different", cause=QUANTISATION, reason="outputs rounded to levels")
    if found.harmless:
        kinds = Counter(item.loss.kind for item in found.harmless)
        cause = QUANTISATION if kinds[QUANTISATION] else ROUNDING
        worst = max(found.harmless, key=lambda item: item.error)
        what = ", ".join(dict.fromkeys(item.loss.what for item in found.harmless if item.loss.kind == cause))
        reason = f"{what} in {amount(len(found.harmless), 'layer')}, at most {worst.error:.2g} of a tensor"
        return Verdict("different", cause=cause, reason=reason, losses=_losses(found))
    return Verdict("different", cause=ROUNDING, reason="each layer agrees for equal inputs; small errors grow")


def _losses(found: Alignment) -> tuple[LayerLoss, ...]:
    """Return the layers that lose most by quantisation, as expected, the largest error first."""
    coarse = [item for item in found.harmless if item.loss.kind == QUANTISATION]
    largest = sorted(coarse, key=lambda item: -item.error)[:_SHOWN]
    pairs = [(found.ours.node(item.layer), found.theirs.node(item.other), item) for item in largest]
    return tuple(LayerLoss(a.name, a.type, b.name, item.loss.what, item.error) for a, b, item in pairs)


def _noisy(found: Alignment) -> list[tuple[int, Suspect]]:
    """Return the layers whose activations lose much more by quantisation than those of the others."""
    losses = [item for item in found.harmless if item.loss.kind == QUANTISATION]
    if not losses:
        return []
    limit = max(_NOISE, _OUTLIER * median(item.loss.noise for item in losses))
    suspects = []
    for item in losses:
        if item.loss.noise > limit:
            node, twin = found.ours.node(item.layer), found.theirs.node(item.other)
            name, other = _quantiser_of(found.ours, item.layer), _quantiser_of(found.theirs, item.other)
            what = f"its inputs lose {item.loss.noise:.0f} times what 8 bits need"
            names = name or node.name, node.type, other or twin.name
            suspects.append((item.layer, Suspect(*names, "quantisation", what, error=item.error)))
    return suspects


def _quantiser_of(layers: Layers, id: int) -> str:
    """Return the name of the FakeQuantize that an input of a layer comes from."""
    for outlet in layers.sources(id):
        if outlet is not None and layers.node(outlet.node).type == QUANTISER:
            return layers.node(outlet.node).name
    return ""


class _Pair(NamedTuple):
    """A layer and its counterpart, and why they differ."""

    id: int
    other: int
    cause: Cause


def _suspect(found: Alignment, region: Region) -> Suspect:
    ours, theirs = found.ours, found.theirs
    layers, others = _core(ours, region.layers), _core(theirs, region.others)
    between = tuple(ours.node(id).name for id in layers), tuple(theirs.node(id).name for id in others)
    shown = between if max(map(len, between)) > 1 else None
    cut = None if region.starts is None else Cut(region.starts, ((region.end, region.other),))
    pair = _pair(found, region, layers, others)
    if pair is not None:
        node, twin = ours.node(pair.id), theirs.node(pair.other)
        ids = None if pair.id in ours.parts or pair.other in theirs.parts else (pair.id, pair.other)
        whole, told = ours.parts.get(pair.id, node.type), pair.cause
        if pair.id in ours.parts and told.what:
            told = told._replace(what=f"{node.type}: {told.what}")
        return Suspect(node.name, whole, twin.name, *told, shown, region.error, ids, cut)
    last, twin = ours.node(region.end.node), theirs.node(region.other.node)
    mine_only, its_only = _surplus(found, layers, others)
    computing = _computing(ours, mine_only), _computing(theirs, its_only)
    if bool(computing[0]) != bool(computing[1]):
        mine_only, its_only = computing
    if bool(mine_only) == bool(its_only):
        mine, its = ({side.node(id).type for id in ids} for side, ids in ((ours, layers), (theirs, others)))
        cause = "structure" if mine & its else "type"
        return Suspect(last.name, last.type, twin.name, cause, between=shown, error=region.error, cut=cut)
    node = _telling(ours, mine_only) if mine_only else _telling(theirs, its_only)
    cause, what = "missing", f"{node.type} is only in the {'first' if mine_only else 'other'} model"
    if node.type == QUANTISER:
        clipped = f"; {region.clipped}" if region.clipped else ""
        cause, what = "quantisation", f"{QUANTISER} {node.name} loses more than its levels explain{clipped}"
    type = node.type if mine_only or not layers else last.type
    name = node.name if mine_only else last.name if layers else ""
    other = node.name if its_only else twin.name if others else ""
    return Suspect(name, type, other, cause, what, between=shown, error=region.error, cut=cut)


def _pair(found: Alignment, region: Region, layers: Sequence[int], others: Sequence[int]) -> _Pair | None:
    """Return the layers of a region, or before it, that tell what differs."""
    if not layers or not others:
        return _read_alike(found, layers, others)
    if len(layers) == len(others) == 1:
        return _Pair(layers[0], others[0], cause_of(found, layers[0], others[0]))
    mine_only, its_only = _surplus(found, layers, others)
    told = (
        _inner(found, layers, others)
        or (None if mine_only or its_only else _misreading(found, layers, others))
        or _read_alike(found, mine_only, its_only)
        or _misread(found, layers, others, its_only, mine_only)
    )
    if told is not None:
        return told
    end, twin = region.end.node, region.other.node
    is_moved = all(moves(side, id) for side, ids in ((found.ours, mine_only), (found.theirs, its_only)) for id in ids)
    if (mine_only or its_only) and is_moved and found.ours.node(end).type == found.theirs.node(twin).type:
        cause = cause_of(found, end, twin)
        return _Pair(end, twin, cause._replace(name="input") if cause.name == "implementation" else cause)
    return _by_constants(found, layers, others) or _of_types(found, mine_only, its_only)


def _of_types(found: Alignment, mine_only: Sequence[int], its_only: Sequence[int]) -> _Pair | None:
    """Return the one layer of each side that the other side does not have, beside what moves or rounds tensors."""
    mine, its = _computing(found.ours, mine_only), _computing(found.theirs, its_only)
    return _Pair(mine[0], its[0], cause_of(found, mine[0], its[0])) if len(mine) == len(its) == 1 else None


def _by_constants(found: Alignment, layers: Sequence[int], others: Sequence[int]) -> _Pair | None:
    """Return the layers of a region that read the only constants of several elements that one side alone has."""
    mine, its = _arrays(found.ours, layers), _arrays(found.theirs, others)
    left = [item for item in mine if not any(distance(item[2], other[2]) <= SAME**2 for other in its)]
    right = [item for item in its if not any(distance(item[2], other[2]) <= SAME**2 for other in mine)]
    if len(left) != 1 or len(right) != 1 or left[0][2].size != right[0][2].size:
        return None
    (id, port, _), (other, _, _) = left[0], right[0]
    if _is_taken_back(found, id, other, _beyond(found, layers, others)):
        return None
    return _Pair(id, other, Cause("constant", constants=tuple(name for name, _ in values_of(found.ours, id, port)[:1])))


def _arrays(layers: Layers, ids: Sequence[int]) -> list[tuple[int, int, Array]]:
    """Return the constants of several floats that layers read, with layer and input."""
    read = ((id, port, array) for id in ids for port, array in layers.constants(id).items())
    return [item for item in read if item[2].size > 1 and item[2].dtype.kind == "f"]


def _computing(layers: Layers, ids: Sequence[int]) -> list[int]:
    """Return the layers of some that neither move nor round tensors."""
    return [id for id in ids if not (moves(layers, id) or layers.node(id).type == QUANTISER)]


def _telling(layers: Layers, ids: Sequence[int]) -> Node:
    """Return the layer of some that tells most: one that computes, else a quantiser, else the first."""
    nodes = [layers.node(id) for id in ids]
    return next(
        (node for node in nodes if node.type not in CODING),
        next((node for node in nodes if node.type == QUANTISER), nodes[0]),
    )


def _is_usual(found: Alignment, region: Region) -> bool:
    """Return whether a region is a quantiser of one side that loses no more than its levels explain."""
    layers, ids = (found.ours, region.layers) if region.layers else (found.theirs, region.others)
    if (region.layers and region.others) or [layers.node(id).type for id in ids] != [QUANTISER]:
        return False
    noise = region.noise
    return noise is not None and noise <= _NOISE


def _has_arithmetic(found: Alignment, region: Region) -> bool:
    """Return whether layers of a region compute integers, or on both sides look floats up by computed integers."""
    sides = (found.ours, region.layers), (found.theirs, region.others)
    looked_up = any(side.node(id).type == "Gather" and side.sources(id)[1] for side, ids in sides for id in ids)
    is_integer = any(not type.is_float for side, ids in sides for id in ids for type in side.steps[id].types)
    return is_integer or (looked_up and bool(region.layers and region.others))


def _size(found: Alignment, region: Region) -> int:
    return max(len(_core(found.ours, region.layers)), len(_core(found.theirs, region.others)))


def _core(layers: Layers, region: Sequence[int]) -> list[int]:
    """Return the layers of a region, without those of shape arithmetic where others are left."""
    floats = [id for id in region if any(type.is_float for type in layers.steps[id].types)]
    return floats or list(region)


def _surplus(found: Alignment, layers: Sequence[int], others: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return the layers of each side that the other one lacks.

    A factor that one side has in a constant, and the other one in a layer of its own, counts on neither.
    """
    mine, its = _beyond(found, layers, others)
    own = [id for id in mine if _factor(found.ours, id) is None]
    left = [id for id in its if _factor(found.theirs, id) is None]
    if (own, left) in ((mine, its), ([], [])):
        return mine, its
    is_taken_back = any(_is_taken_back(found, id, other, (mine, its)) for id in layers for other in others)
    return (own, left) if is_taken_back else (mine, its)


def _beyond(found: Alignment, layers: Sequence[int], others: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return the layers of each side beyond those of the same type of the other one."""
    sides = (found.ours, layers), (found.theirs, others)
    mine, its = ([side.node(id).type for id in ids] for side, ids in sides)
    left = Counter(mine) - Counter(its), Counter(its) - Counter(mine)
    beyond: tuple[list[int], list[int]] = [], []
    for place, (side, ids) in enumerate(sides):
        for id in ids:
            if left[place][side.node(id).type] > 0:
                left[place][side.node(id).type] -= 1
                beyond[place].append(id)
    return beyond


def _is_taken_back(found: Alignment, id: int, other: int, surplus: tuple[Sequence[int], Sequence[int]]) -> bool:
    """Return whether the constants of two layers differ by a factor only, which layers of one side take back."""
    own, its = found.ours.constants(id), found.theirs.constants(other)
    both = [port for port in own.keys() & its.keys() if own[port].size > 1]
    if not both or found.ours.node(id).type != found.theirs.node(other).type:
        return False
    mine, theirs = (
        prod([_factor(side, at) or 1.0 for at in ids])
        for side, ids in zip((found.ours, found.theirs), surplus, strict=True)
    )
    factors = [factor_of(own[port], its[port]) for port in both]
    return all(factor is not None and abs(factor * theirs - mine) <= ROUNDED * abs(mine) for factor in factors)


def _factor(layers: Layers, id: int) -> float | None:
    """Return the number by which a layer multiplies, or divides by its inverse; None for another layer."""
    node, constants = layers.node(id), list(layers.constants(id).values())
    if node.type not in ("Multiply", "Divide") or [array.size for array in constants] != [1]:
        return None
    value = float(constants[0].reshape(-1)[0])
    return value if node.type == "Multiply" else 1 / value if value else None


def _inner(found: Alignment, layers: Sequence[int], others: Sequence[int]) -> _Pair | None:
    """Return the layer of a region that has an attribute or a constant of its own, with its counterpart by type.

    A factor of a constant that another layer of the region takes back is not told.
    """
    left, more = list(others), _beyond(found, layers, others)
    for id in layers:
        node = found.ours.node(id)
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
            and not (any(more) and _is_taken_back(found, id, other, more))
        )
        if cause.name == "attribute" or is_told:
            return _Pair(id, other, cause)
    return None


def _misreading(found: Alignment, layers: Sequence[int], others: Sequence[int]) -> _Pair | None:
    """Return the first layer of a region whose counterpart by type reads other tensors that agree."""
    for id in layers:
        other = next((at for at in others if found.theirs.node(at).type == found.ours.node(id).type), None)
        if other is not None and all(source in found.found for source in found.ours.sources(id) if source is not None):
            cause = cause_of(found, id, other)
            if cause.name in ("input", "order"):
                return _Pair(id, other, cause)
    return None


def _is_coarse(found: Alignment, id: int, other: int) -> bool:
    """Return whether the constants of two layers differ by no more than their levels explain."""
    own, its = found.ours.constants(id), found.theirs.constants(other)
    losses = [constant_loss(found.ours, id, found.theirs, other, port) for port in own.keys() & its.keys()]
    return all(loss is not None for loss in losses)


def _read_alike(found: Alignment, layers: Sequence[int], others: Sequence[int]) -> _Pair | None:
    """Return a layer that one side seems to lack, and the one there that reads the same, if these two differ."""
    ours, theirs = found.ours, found.theirs
    pairs = [(id, other) for id in layers for other in theirs.steps] + [
        (id, other) for other in others for id in ours.steps
    ]
    for id, other in pairs:
        if ours.node(id).type != theirs.node(other).type:
            continue
        if reads(found, id) == [unconverted(theirs, outlet) for outlet in theirs.sources(other)]:
            cause = cause_of(found, id, other)
            if cause.name in ("attribute", "constant"):
                return _Pair(id, other, cause)
    return None


def _misread(
    found: Alignment, layers: Sequence[int], others: Sequence[int], its_only: Sequence[int], mine_only: Sequence[int]
) -> _Pair | None:
    """Return a layer before a region, and its counterpart in it, which has an attribute or a constant of its own.

    The tensor of such a layer may be that of another one, as where a slice begins where another slice does.
    """
    ours, theirs = found.ours, found.theirs
    if len(its_only) == 1 and not mine_only:
        read = {source for id in others for source in theirs.sources(id) if source is not None}
        before = {s for id in layers for s in ours.sources(id) if s is not None and found.found.get(s) not in read}
        pairs = [(source.node, its_only[0]) for source in sorted(before) if source.node in ours.steps]
    elif len(mine_only) == 1 and not its_only:
        kept = {other: outlet for outlet, other in found.found.items()}
        read = {source for id in layers for source in ours.sources(id) if source is not None}
        before = {s for id in others for s in theirs.sources(id) if s is not None and kept.get(s) not in read}
        pairs = [(mine_only[0], source.node) for source in sorted(before) if source.node in theirs.steps]
    else:
        return None
    for id, other in pairs:
        if ours.node(id).type == theirs.node(other).type:
            cause = cause_of(found, id, other)
            if cause.name in ("attribute", "constant", "quantisation"):
                return _Pair(id, other, cause)
    return None
