"""From an alignment of two models to what is claimed: which layers are suspected, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median
from typing import Final

from irrun.debugging.aligning import Alignment
from irrun.debugging.causes import Cause, Told
from irrun.debugging.following import of_arithmetic, of_stored
from irrun.debugging.levels import QUANTISATION, QUANTISER, ROUNDING
from irrun.debugging.replaying import Layers
from irrun.debugging.searching import Region
from irrun.debugging.telling import RegionPart, computing, most_telling, told
from irrun.debugging.verdicts import GROWING, WIDEST, Cut, LayerLoss, Suspect, Verdict
from irrun.diagnostics import amount

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
    placed = [
        (places.get(region.end.node, -1), _suspect(found, region)) for region in found.regions if region not in coarse
    ]
    placed += [(places.get(id, -1), suspect) for id, suspect in _noisy(found)]
    suspects = [suspect for _, suspect in sorted(placed, key=lambda item: item[0])]
    wide = [region for region in found.regions if _size(found, region) > WIDEST]
    if not found.is_explained:
        first = suspects[0] if suspects and not wide else None
        known = f"; {first.name or first.other} differs, but does not explain it" if first is not None else ""
        return Verdict("unknown", reason=f"no layer was found whose difference explains that of the outputs{known}")
    if wide:
        own, its = (max(len(getattr(region, side)) for region in wide) for side in ("layers", "others"))
        a, b = found.in_order(own, its)
        where = f"between {amount(a, 'layer')} and {amount(b, 'layer')} of the other side"
        return Verdict("unknown", reason=f"the difference begins {where} that have no counterpart one by one")
    if suspects and suspects[0].cause in _VAGUE and any(_has_arithmetic(found, region) for region in found.regions):
        follows = next(filter(None, (_of_shapes(found, region) for region in found.regions)), None)
        if follows is None:
            return Verdict("unknown", reason="the difference begins in shape arithmetic, or behind it")
        suspects = [follows]
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
    return Verdict("different", cause=ROUNDING, reason=GROWING)


def _losses(found: Alignment) -> tuple[LayerLoss, ...]:
    """Return the layers that lose most by quantisation, as expected, the largest error first."""
    coarse = [item for item in found.harmless if item.loss.kind == QUANTISATION]
    largest = sorted(coarse, key=lambda item: -item.error)[:_SHOWN]
    pairs = [(found.ours.node(item.layer), found.theirs.node(item.other), item) for item in largest]
    return tuple(LayerLoss(a.name, a.type, b.name, item.loss.detail, item.error) for a, b, item in pairs)


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


def _suspect(found: Alignment, region: Region) -> Suspect:
    ours, theirs = found.ours, found.theirs
    layers, others = _core(ours, region.layers), _core(theirs, region.others)
    between = tuple(ours.node(id).name for id in layers), tuple(theirs.node(id).name for id in others)
    shown = between if max(map(len, between)) > 1 else None
    cut = None if region.starts is None else Cut(region.starts, ((region.end, region.other),))
    part = RegionPart.of(found, layers, others)
    pair = told(part, region.end.node, region.other.node)
    if pair is not None:
        return _accused(found, pair, shown, region.error, cut)
    last, twin = ours.node(region.end.node), theirs.node(region.other.node)
    mine_only, its_only = part.surplus()
    left = computing(ours, mine_only), computing(theirs, its_only)
    if bool(left[0]) != bool(left[1]):
        mine_only, its_only = left
    if bool(mine_only) == bool(its_only):
        mine, its = ({side.node(id).type for id in ids} for side, ids in ((ours, layers), (theirs, others)))
        cause = "structure" if mine & its else "type"
        return Suspect(last.name, last.type, twin.name, cause, between=shown, error=region.error, cut=cut)
    node = most_telling(ours, mine_only) if mine_only else most_telling(theirs, its_only)
    side = found.in_order("first", "other")[0 if mine_only else 1]
    cause, what = "missing", f"{node.type} is only in the {side} model"
    if node.type == QUANTISER:
        clipped = f"; {region.clipped}" if region.clipped else ""
        cause, what = "quantisation", f"{QUANTISER} {node.name} loses more than its levels explain{clipped}"
    type = node.type if mine_only or not layers else last.type
    name = node.name if mine_only else last.name if layers else ""
    other = node.name if its_only else twin.name if others else ""
    return Suspect(name, type, other, cause, what, between=shown, error=region.error, cut=cut)


def _accused(
    found: Alignment,
    pair: Told,
    between: tuple[tuple[str, ...], tuple[str, ...]] | None,
    error: float,
    cut: Cut | None = None,
) -> Suspect:
    """Return the suspect that a layer with its counterpart is."""
    ours, theirs = found.ours, found.theirs
    node, twin = ours.node(pair.id), theirs.node(pair.other)
    is_part = pair.id in ours.parts or pair.other in theirs.parts
    cause = pair.cause
    wholes = {side.node(id).name for side, id in ((ours, pair.id), (theirs, pair.other)) if side.reads_attribute(id)}
    if cause.name == "constant" and wholes:
        what = cause.what
        for name in wholes:
            what = what.replace(f'"{name}" ', "")
        cause = Cause("attribute", what, tuple(name for name in cause.constants if name not in wholes))
    if pair.id in ours.parts and cause.what:
        cause = cause._replace(what=f"{node.type}: {cause.what}")
    ids = None if is_part else (pair.id, pair.other)
    cut = (_of_whole(found, pair) or cut) if is_part else cut
    return Suspect(node.name, ours.parts.get(pair.id, node.type), twin.name, *cause, between, error, ids, cut)


def _of_whole(found: Alignment, pair: Told) -> Cut | None:
    """Return the borders of the layer of one side that is compared as its parts, if all have a counterpart."""
    turned = {other: outlet for outlet, other in found.found.items()}
    for layers, id, known in ((found.ours, pair.id, found.found), (found.theirs, pair.other, turned)):
        whole = layers.whole_of(id)
        if whole is not None:
            end, last, read = whole
            pairs = [(outlet, known.get(outlet)) for outlet in sorted(read)]
            starts = tuple((outlet, other) for outlet, other in pairs if other is not None)
            if last not in known or len(starts) < len(pairs):
                return None
            cut = Cut(starts, ((end, known[last]),))
            return cut if layers is found.ours else cut.mirrored()
    return None


def _of_shapes(found: Alignment, region: Region) -> Suspect | None:
    """Return the suspect of a region in which a tensor that follows from shapes is another one."""
    end, twin = region.end.node, region.other.node
    pair = of_arithmetic(found, end, twin) or of_stored(found, end, twin)
    if pair is None:
        return None
    ids = region.layers, region.others
    if max(map(len, ids)) > WIDEST:
        ids = tuple(_core(found.ours, ids[0])), tuple(_core(found.theirs, ids[1]))
    between = tuple(found.ours.node(id).name for id in ids[0]), tuple(found.theirs.node(id).name for id in ids[1])
    return _accused(found, pair, between if max(map(len, between)) > 1 else None, region.error)


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
