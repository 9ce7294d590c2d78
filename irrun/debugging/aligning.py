"""Two models side by side: each tensor of one is found in the other by its value, and where that ends, the difference.

The first model runs layer by layer. What it computes is looked for among the tensors of the other one, by value, so
that names and the way in which exporters write a layer do not matter; the layers behind go on with the tensor of the
other model. Where a layer has no counterpart and an output depends on it, a tensor of the other model is put in its
place: if all that follows is then found again, the difference lies between what was found before and that tensor.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Final, TypeVar

import numpy as np

from irrun.debugging.expanding import expanded
from irrun.debugging.finding import HELD, Harmless
from irrun.debugging.levels import QUANTISER, clipping, quantiser_noise
from irrun.debugging.places import Passer
from irrun.debugging.replaying import Layers
from irrun.debugging.resembling import SAME, distance
from irrun.debugging.searching import Region, Searcher
from irrun.debugging.spool import Spool
from irrun.debugging.verdicts import WIDEST
from irrun.graph import Outlet
from irrun.jobs.progress import working
from irrun.model import Loaded
from irrun.tensor import Array

_T = TypeVar("_T")

_MOST: Final = 400
"""Tensors that are put in place of another in search of one region, at most."""

_PATIENCE: Final = 12
"""Layers behind such a tensor that are computed before one of them must be found."""

_SECONDS: Final = 60.0
"""Seconds of the processor after which no more regions are tried."""


@dataclass
class Alignment:
    """Two models side by side, as far as they were matched.

    ``found`` are the outlets of the other model by those of the first. ``is_explained`` says that the outputs agree
    once the tensors at the ends of all ``regions`` are those of the other model. ``is_turned`` says that who compares
    names the other model first.
    """

    ours: Layers
    theirs: Layers
    found: dict[Outlet, Outlet] = field(default_factory=dict)
    harmless: list[Harmless] = field(default_factory=list)
    regions: list[Region] = field(default_factory=list)
    is_explained: bool = True
    is_turned: bool = False

    def counterparts(self) -> dict[Outlet, tuple[Outlet, str]]:
        """Return the counterpart of each tensor that has one, and whether the ``name`` or the ``value`` says so.

        First come layers of the same type that were found, then those of the same name and type, then all that were
        found.
        """
        found: dict[Outlet, tuple[Outlet, str]] = {}
        known = [(outlet, other) for outlet, other in self._known() if outlet.node in self.ours.steps]
        alike = [pair for pair in known if self.ours.node(pair[0].node).type == self.theirs.node(pair[1].node).type]
        taken = set[Outlet]()
        for outlet, other in (*alike, *self._of_names(), *known):
            own, its = self.ours.origin(outlet), self.theirs.origin(other)
            is_named = self.ours.node(outlet.node).name == self.theirs.node(other.node).name
            if own is not None and its is not None and own not in found and (its not in taken or not is_named):
                found[own] = its, "name" if is_named else "value"
                taken.add(its)
        return found

    def _known(self) -> Iterator[tuple[Outlet, Outlet]]:
        return ((outlet, other) for outlet, other in self.found.items() if other.node in self.theirs.steps)

    def _of_names(self) -> Iterator[tuple[Outlet, Outlet]]:
        """Yield the outputs of layers of the same name and type."""
        named = {(self.theirs.node(id).name, self.theirs.node(id).type): id for id in self.theirs.steps}
        for id in self.ours.steps:
            other = named.get((self.ours.node(id).name, self.ours.node(id).type))
            if other is not None:
                yield from ((outlet, Outlet(other, outlet.port)) for outlet in self.ours.outlets(id))

    def in_order(self, own: _T, its: _T) -> tuple[_T, _T]:
        """Return what both models have, in the order in which they are compared."""
        return (its, own) if self.is_turned else (own, its)


class _Aligner(Searcher):
    def __init__(self, ours: Layers, theirs: Layers, spool: Spool, inputs: Mapping[int, Array]) -> None:
        super().__init__(ours, theirs, spool, inputs)
        self.result = Alignment(ours, theirs, self.found, self.harmless)
        self._deadline = time.process_time() + _SECONDS

    def explain(self, ends: Sequence[tuple[Outlet, Outlet]]) -> None:
        """Put tensors of the other model in the place of own ones until the ends are those of the other model."""
        while wrong := [pair for pair in ends if not self._agrees(*pair)]:
            is_known: Callable[[Outlet], bool] = self.is_certain
            region = self._best(wrong, is_known)
            if region is None or region.width > WIDEST:
                derived = self.derived().__contains__
                nearer = self._best(wrong, derived)
                if nearer is not None and (region is None or nearer.width < region.width):
                    region, is_known = nearer, derived
            if region is None:
                return
            self.result.regions.append(region)
            behind = self.behind({region.end.node})
            doubtful = [id for id in behind if not all(map(is_known, self.ours.outlets(id)))]
            self.take(region.end, region.other)
            for id in doubtful:
                for outlet in self.ours.outlets(id):
                    self.found.pop(outlet, None)
                self.visit(id)

    def constants_agree(self, ends: Sequence[int | None]) -> bool:
        """Return whether the outputs that depend on constants only, on a side, are those of the other side."""
        for place, end in enumerate(ends):
            if end is None:
                continue
            own, its = self.ours.constant_result(place), self.theirs.constant_result(end)
            if own is None and its is None:
                continue
            source, target = (
                layers.graph.sources(layers.graph.results[at])[0]
                for layers, at in ((self.ours, place), (self.theirs, end))
            )
            own = self.value(source) if own is None and source is not None else own
            its = self.tensors.get(target) if its is None and target is not None else its
            if own is None or its is None or own.shape != its.shape or distance(own, its) > SAME:
                return False
        return True

    def _agrees(self, outlet: Outlet, other: Outlet) -> bool:
        value = self.value(outlet)
        return value is not None and other in self.tensors and self._is_end(value, other)

    def _is_end(self, array: Array, other: Outlet) -> bool:
        """Return whether a tensor is one of the other model, in the same shape."""
        return tuple(array.shape) == self.tensors.shape(other) and distance(array, self.tensors[other]) <= SAME

    def _best(self, wrong: Sequence[tuple[Outlet, Outlet]], is_known: Callable[[Outlet], bool]) -> Region | None:
        """Return the smallest region that explains most ends, behind tensors that are known."""
        cone = self.cone((outlet for outlet, _ in wrong), is_known)
        best: tuple[int, Region] | None = None
        for region in islice(self.candidates(cone, wrong), _MOST):
            if time.process_time() > self._deadline:
                break
            gained = self._gain(region, cone, wrong)
            if gained and (best is None or gained > best[0]):
                best = gained, region
            if gained == len(wrong):
                break
        if best is None:
            return None
        region, own = best[1], self.value(best[1].end)
        array = self.tensors[region.other]
        noise, clipped = None, ""
        if own is not None and (len(region.layers), len(region.others)) in ((0, 1), (1, 0)):
            layers, id = (self.ours, region.layers[0]) if region.layers else (self.theirs, region.others[0])
            if layers.node(id).type == QUANTISER:
                whole, levels = (array, own) if region.layers else (own, array)
                noise, clipped = quantiser_noise(layers, id, whole, levels, slices=True), clipping(layers, id, whole)
        error = np.inf if own is None else distance(own, array)
        return replace(region, error=error, noise=noise, clipped=clipped, starts=self._starts(region))

    def _starts(self, region: Region) -> tuple[tuple[Outlet, Outlet], ...] | None:
        """Return the pairs of tensors that agree and that a region reads, if all have the same shape on both sides."""
        read = [source for id in region.layers for source in self.ours.sources(id)] or [region.end]
        pairs = {(s, self.found[s]) for s in read if s is not None and s in self.found}
        back = {other: outlet for outlet, other in self.found.items()}
        its = [source for id in region.others for source in self.theirs.sources(id)] or [region.other]
        outside = {source for source in its if source is not None and source.node not in region.others}
        if any(source not in back for source in outside):
            return None
        pairs |= {(back[source], source) for source in outside}
        is_alike = all(self._shapes.get(a, self.tensors.shape(b)) == self.tensors.shape(b) for a, b in pairs)
        return tuple(sorted(pairs)) if is_alike else None

    def _gain(self, region: Region, cone: set[int], wrong: Sequence[tuple[Outlet, Outlet]]) -> int:
        """Return how many ends agree with a tensor of the other model at the end of a region."""
        over = {region.end: self.tensors[region.other]}
        ends = dict(wrong)
        reached = sum(outlet == region.end and self._is_end(over[outlet], other) for outlet, other in wrong)
        lost = 0
        behind = [id for id in self.behind({region.end.node}) if id in cone]
        changed = {region.end.node}
        for id in behind:
            if not any(before in changed for before in self.ours.before(id)):
                continue
            given = self.given(id, over)
            made = None if given is None else self.ours.compute(id, given)
            changed.add(id)
            if made is None:
                lost += 1
                if lost > _PATIENCE:
                    break
                continue
            is_found = False
            coarser: Harmless | None = None
            for outlet, array in zip(self.ours.outlets(id), made, strict=True):
                other_end = ends.get(outlet)
                twin = self.same(outlet, array)
                if twin is None and given is not None and coarser is None:
                    coarser = self.coarser(id, given, made, over)
                    twin = Outlet(coarser.other, 0) if coarser is not None else None
                if twin is None:
                    over[outlet] = array
                else:
                    is_found = True
                    over[outlet] = (
                        self.tensors[twin] if coarser is not None else self.tensors[twin].reshape(array.shape)
                    )
                if other_end is not None:
                    reached += self._is_end(over[outlet], other_end)
            lost = 0 if is_found else lost + 1
            if lost > _PATIENCE:
                break
        return reached


def align(
    model: Loaded,
    other: Loaded,
    inputs: Mapping[int, Array],
    others: Mapping[int, Array],
    ends: Sequence[int | None],
    config: Mapping[str, Any] | None = None,
    *,
    is_turned: bool = False,
) -> Alignment:
    """Align two models, each on inputs by place; ``ends`` has the place of the other's output for each own one.

    ``is_turned`` models are told of in the other order.
    """
    ours = Layers(expanded(model, other), config, model.graph)
    theirs = Layers(expanded(other, model), config, other.graph)
    with Spool() as spool, working("aligning"):
        aligner = _Aligner(ours, theirs, spool, inputs)
        for place, id in enumerate(other.graph.parameters):
            aligner.tensors.put(Outlet(id, 0), others[place])
        theirs.run(others, Passer(aligner.tensors.put))
        for outlet, array in theirs.held(HELD):
            aligner.tensors.put(outlet, array)
        aligner.forward()
        pairs = [
            (source, target)
            for place, end in enumerate(ends)
            if end is not None
            and (source := ours.graph.sources(ours.graph.results[place])[0]) is not None
            and (target := theirs.graph.sources(theirs.graph.results[end])[0]) is not None
            and ours.is_computed(source.node)
            and theirs.is_computed(target.node)
        ]
        aligner.explain(pairs)
        is_whole = None not in ends and len(ends) == len(other.graph.results) and aligner.constants_agree(ends)
        aligner.result.is_turned = is_turned
        aligner.result.is_explained = is_whole and all(aligner._agrees(*pair) for pair in pairs)
    return aligner.result
