"""The first quantiser of two models whose levels differ because small errors before it move elements across a tie."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from irrun.debugging.aligning import Alignment
from irrun.debugging.levels import QUANTISER, levels_of
from irrun.debugging.places import Passer
from irrun.debugging.replaying import Layers
from irrun.diagnostics import amount
from irrun.graph import Outlet
from irrun.tensor import Array


def one_step(found: Alignment, inputs: Mapping[int, Array], others: Mapping[int, Array]) -> str:
    """Return in words how many elements of the first quantiser that differs are a step apart.

    ``inputs`` are those of each model by place. The empty text where no quantiser differs, or the first by more.
    """
    pairs = {
        Outlet(id, 0): other
        for id in found.ours.steps
        if found.ours.node(id).type == QUANTISER
        and (other := found.found.get(Outlet(id, 0))) is not None
        and found.theirs.node(other.node).type == QUANTISER
    }
    if not pairs:
        return ""
    own = _tensors(found.ours, inputs, set(pairs))
    its = _tensors(found.theirs, others, set(pairs.values()))
    for outlet, other in pairs.items():
        if outlet not in own or other not in its or own[outlet].size != its[other].size:
            return ""
        gap = np.abs(own[outlet].astype(np.float64) - its[other].reshape(own[outlet].shape))
        if not gap.any():
            continue
        limits = found.ours.constants(outlet.node)
        if not {3, 4} <= limits.keys():
            return ""
        step = (limits[4].astype(np.float64) - limits[3]) / max(levels_of(found.ours, outlet.node) - 1, 1)
        if not (gap <= 1.01 * np.abs(step)).all():
            return ""
        count = int(np.count_nonzero(gap > np.abs(step) / 2))
        name = found.ours.node(outlet.node).name
        return f'{QUANTISER} "{name}": one step in {count:,} of {amount(gap.size, "element")}' if count else ""
    return ""


def _tensors(layers: Layers, inputs: Mapping[int, Array], wanted: set[Outlet]) -> dict[Outlet, Array]:
    kept: dict[Outlet, Array] = {}
    layers.run(dict(inputs), Passer(lambda outlet, array: kept.__setitem__(outlet, array.copy()), wanted))
    return kept
