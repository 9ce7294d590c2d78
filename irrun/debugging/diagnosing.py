"""Why the outputs of a model differ from those of another side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np

from irrun.debugging.aligning import align
from irrun.debugging.departing import departures_of
from irrun.debugging.layers import LayerComparison, LayerDifference, Tolerance, within
from irrun.debugging.levels import QUANTISER
from irrun.debugging.metrics import errors
from irrun.debugging.ports import completed
from irrun.debugging.quantising import EPSILON
from irrun.debugging.sides import OPENVINO, ModelSide
from irrun.debugging.stepping import one_step
from irrun.debugging.stopping import AS_WRITTEN
from irrun.debugging.supposing import supposed
from irrun.debugging.suspecting import verdict_of
from irrun.debugging.verdicts import GROWING, Suspect, Verdict
from irrun.diagnostics import amount
from irrun.graph import Outlet
from irrun.model import Loaded, Port, build
from irrun.tensor import Array

_SHOWN: Final = 2
"""Departures that are printed."""

_CLEAR: Final = 3
"""The ratio of errors from which on the optimisation of one side is at fault."""


def diagnose_models(
    model: Loaded,
    side: ModelSide,
    inputs: Mapping[int, Array],
    ours: Sequence[Array],
    theirs: Sequence[Array],
    tolerance: Tolerance,
    config: Mapping[str, Any] | None = None,
    written: tuple[Sequence[Array], Sequence[Array]] | None = None,
) -> Verdict:
    """Return why the outputs of two models differ, ``ours`` and ``theirs`` in the order of each.

    ``written`` are the outputs of both as written, where these are known already.
    """
    named = side.order(model.outputs)
    ends = completed(named, len(theirs))
    outputs = _Outputs(model.outputs, side.model.outputs, ours, theirs, tolerance)
    told = _exchanged(outputs, named) or _missing(outputs, ends)
    if told is not None:
        return told
    if written is None:
        settings = {**(config or {}), **AS_WRITTEN}
        runs = (model, inputs), (side.model, side.inputs)
        first, second = (build(one, settings)(given).to_tuple() for one, given in runs)
        written = first, second
    pairs = [(array, None if end is None else written[1][end]) for array, end in zip(written[0], ends, strict=True)]
    if all(within(array, other, tolerance) for array, other in pairs):
        return diagnose_optimisation({"model": (ours, written[0]), side.name: (theirs, written[1])}, tolerance)
    aligned = side.aligned(model, inputs)
    found = verdict_of(aligned)
    if found.reason == GROWING:
        steps = one_step(aligned, inputs, side.inputs)
        return replace(found, reason=f"{GROWING}; {steps}") if steps else found
    if found.verdict == "unknown":
        back: list[int | None] = [None] * len(side.model.outputs)
        for place, end in enumerate(ends):
            if end is not None:
                back[end] = place
        other = verdict_of(align(side.model, model, side.inputs, inputs, back, config, is_turned=True)).mirrored()
        if other.verdict != "unknown":
            return other
        return _of_sizes(model, side, inputs, written, (ends, back), tolerance, config) or found
    return found


def _of_sizes(
    model: Loaded,
    side: ModelSide,
    inputs: Mapping[int, Array],
    written: tuple[Sequence[Array], Sequence[Array]],
    ends: tuple[Sequence[int | None], Sequence[int | None]],
    tolerance: Tolerance,
    config: Mapping[str, Any] | None,
) -> Verdict | None:
    """Return the verdict on two models of which one takes a wrong size of a shape, each output with its counterpart."""
    if None in (*ends[0], *ends[1]):
        return None
    for one, given, wanted, places in (
        (model, inputs, written[1], ends[0]),
        (side.model, side.inputs, written[0], ends[1]),
    ):
        found = supposed(one, given, [wanted[at] for at in places if at is not None], tolerance, config)
        if found:
            verdict = Verdict("different", found, found[0].cause, found[0].what)
            return verdict if one is model else verdict.mirrored()
    return None


class _Outputs(NamedTuple):
    """The outputs of two models, and the tolerance within which they agree."""

    ports: Sequence[Port]
    others: Sequence[Port]
    ours: Sequence[Array]
    theirs: Sequence[Array]
    tolerance: Tolerance

    def agree(self, place: int, other: int) -> bool:
        return within(self.ours[place], self.theirs[other], self.tolerance)


def _exchanged(outputs: _Outputs, ends: Sequence[int | None]) -> Verdict | None:
    """Return the verdict on outputs that are in another order, if all of them are there; else None."""
    places: list[int] = []
    for place, wanted in enumerate(ends):
        order = sorted(range(len(outputs.theirs)), key=lambda other: other != wanted)
        at = next((one for one in order if one not in places and outputs.agree(place, one)), None)
        if at is None:
            return None
        places.append(at)
    moved = [(place, at) for place, at in enumerate(places) if at != ends[place]]
    if not moved:
        return None
    names = [(outputs.ports[place].any_name, outputs.others[at].any_name) for place, at in moved]
    suspects = tuple(
        Suspect(a, "Result", b, "order", f'output "{a}" is output "{b}" of the other model') for a, b in names
    )
    return Verdict("different", suspects, "order", "; ".join(item.what for item in suspects))


def _missing(outputs: _Outputs, ends: Sequence[int | None]) -> Verdict | None:
    """Return the verdict on outputs that only one side has, if all others have a counterpart and agree; else None."""
    kept = [(place, end) for place, end in enumerate(ends) if end is not None]
    if not kept or not all(outputs.agree(place, end) for place, end in kept):
        return None
    ends_kept = {end for _, end in kept}
    first = [port.any_name for port, end in zip(outputs.ports, ends, strict=True) if end is None]
    second = [port.any_name for port in outputs.others if port.index not in ends_kept]
    suspects = [Suspect(name, "Result", "", "missing", "the output is only in the first model") for name in first]
    suspects += [Suspect("", "Result", name, "missing", "the output is only in the other model") for name in second]
    if bool(first) == bool(second):
        return None
    return Verdict("different", tuple(suspects), "missing", f"{amount(len(suspects), 'output')} only on one side")


def diagnose_optimisation(
    sides: Mapping[str, tuple[Sequence[Array], Sequence[Array]]], tolerance: Tolerance
) -> Verdict:
    """Return whose optimisation changes its outputs, where the outputs as written agree.

    ``sides`` has the outputs of each side as usual and as written.
    """
    apart = {name: farthest(*pair) for name, pair in sides.items()}
    beyond = [
        name for name, pair in sides.items() if any(not within(a, b, tolerance) for a, b in zip(*pair, strict=False))
    ]
    if not beyond:
        return Verdict("different", cause="rounding", reason="as written, the outputs agree within the tolerances")
    by = at_fault(apart)
    fault = f"that of {'irrun' if by == 'model' else by} is at fault" if by else "both optimisers change them"
    shown = ", ".join(f"{name} {error:.2g}" for name, error in apart.items())
    reason = f"as written, the outputs agree: {fault}, relative errors against the layers as written are {shown}"
    return Verdict("different", cause="optimisation", reason=reason)


def at_fault(apart: Mapping[str, float]) -> str:
    """Return the side whose optimisation is at fault, by the errors of both; the empty text where it is not clear."""
    lower, upper = sorted(apart.values())
    return max(apart, key=lambda name: apart[name]) if upper > _CLEAR * lower else ""


def farthest(arrays: Sequence[Array], others: Sequence[Array]) -> float:
    """Return the largest relative error of some outputs beside others; infinite where a shape differs."""
    found = [
        errors(a, b).relative if a.shape == b.shape else float("inf") for a, b in zip(arrays, others, strict=False)
    ]
    return max(found, default=0.0)


def diagnose_layers(
    model: Loaded,
    found: LayerComparison,
    name: str,
    ours: Sequence[Array],
    theirs: Sequence[Array],
    tolerance: Tolerance,
) -> Verdict:
    """Return why the outputs of a model differ from those of another engine for the same model."""
    told = [(item, _rounding(model, item)) for item in found.layers if item.errs]
    wrong = [item for item, rounding in told if not rounding]
    if wrong:
        suspects = tuple(_blamed(item, departures_of(model, item.id) if name == OPENVINO else ()) for item in wrong[:3])
        return Verdict("different", suspects, "implementation")
    if told:
        reason = "; ".join(f'"{item.layer}": {rounding}' for item, rounding in told[:3])
        return Verdict("different", cause="rounding", reason=reason)
    if not found.layers:
        return Verdict("unknown", reason="no layer has a counterpart")
    if found.first is None and not found.agree:
        return Verdict("unknown", reason="the layers that differ have no counterpart")
    if found.first is None and found.is_complete:
        return diagnose_optimisation({"model": (ours, found.outputs), name: (theirs, found.others)}, tolerance)
    if any(item.own is None for item in found.layers if item.differs):
        return Verdict("unknown", reason="some layers cannot be computed with the inputs of the other side")
    return Verdict("different", cause="rounding", reason=GROWING)


def _rounding(model: Loaded, item: LayerDifference) -> str:
    """Return in words by how much a layer rounds otherwise; the empty text where it errs by more than that."""
    fact, own = model.facts.get(Outlet(item.id, item.output)), item.own
    if fact is None or own is None:
        return ""
    if fact.type.name in EPSILON and own.relative <= 1.01 * EPSILON[fact.type.name]:
        return f"one step of {fact.type.name}"
    limits = [model.facts.get(outlet) for outlet in model.graph.sources(item.id)[3:5] if outlet is not None]
    low, high = ([limit.constant if limit else None for limit in limits] + [None, None])[:2]
    if item.type == QUANTISER and low is not None and high is not None:
        step = float(np.abs(high.astype(np.float64) - low).max()) / max(
            getattr(model.graph.node(item.id).op, "levels", 2) - 1, 1
        )
        if 0 < own.max <= 1.01 * step:
            size = int(np.prod(item.shape, dtype=np.int64))
            return f"one step in {max(round(own.mean / own.max * size), 1)} of {amount(size, 'element')}"
    return ""


def _blamed(item: LayerDifference, departures: Sequence[str]) -> Suspect:
    more = f"; {amount(len(departures) - _SHOWN, 'more departure')}" if len(departures) > _SHOWN else ""
    known = f"known departures: OpenVINO's CPU plugin {'; '.join(departures[:_SHOWN])}{more}" if departures else ""
    error = item.own.relative if item.own is not None else item.errors.relative if item.errors is not None else 0.0
    return Suspect(
        item.layer, item.type, item.other, "implementation", item.problem or known, item.constants, error=error
    )
