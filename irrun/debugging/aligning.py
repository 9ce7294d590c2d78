"""Two models side by side: each tensor of one is found in the other by its value, and where that ends, the difference.

The first model runs layer by layer. What it computes is looked for among the tensors of the other one, by value, so
that names and the way in which exporters write a layer do not matter; the layers behind go on with the tensor of the
other model. Where a layer has no counterpart and an output depends on it, a tensor of the other model is put in its
place: if all that follows is then found again, the difference lies between what was found before and that tensor.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar

import numpy as np

from irrun.debugging.expanding import expanded
from irrun.debugging.finding import HELD, Finder, Harmless
from irrun.debugging.levels import QUANTISER, clipping, quantiser_noise
from irrun.debugging.places import Passer
from irrun.debugging.replaying import Layers
from irrun.debugging.resembling import SAME, distance, is_plain
from irrun.debugging.spool import Spool
from irrun.graph import Outlet
from irrun.jobs.progress import working
from irrun.model import Loaded
from irrun.tensor import Array

_T = TypeVar("_T")

_WIDEST: Final = 24
"""Layers of a region up to which it is looked at."""

_MOST: Final = 400
"""Tensors that are put in place of another, at most."""

_PATIENCE: Final = 12
"""Layers behind such a tensor that are computed before one of them must be found."""

_SECONDS: Final = 60.0
"""Seconds of the processor after which no more regions are tried."""


@dataclass(frozen=True, slots=True)
class Region:
    """Layers between tensors that agree, and a tensor that does not: here the difference begins.

    ``end`` is the outlet whose tensor the other model has otherwise at ``other``; ``layers`` and ``others`` lead to
    them from what agrees, in topological order: none on the side where the tensor itself agrees with what is before.
    ``error`` is that of the tensor for inputs that agree. All behind agrees once the tensor is that of the other model.
    ``noise`` is that of a region which is a single quantiser (`quantiser_noise`), ``clipped`` says what it clips.
    ``starts`` are the tensors that agree and that the region reads, by pairs; None where one of them has no counterpart
    of the same shape.
    """

    end: Outlet
    other: Outlet
    layers: tuple[int, ...]
    others: tuple[int, ...]
    error: float = 0.0
    noise: float | None = None
    clipped: str = ""
    starts: tuple[tuple[Outlet, Outlet], ...] | None = None


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

    def in_order(self, own: _T, its: _T) -> tuple[_T, _T]:
        """Return what both models have, in the order in which they are compared."""
        return (its, own) if self.is_turned else (own, its)


class _Aligner(Finder):
    def __init__(self, ours: Layers, theirs: Layers, spool: Spool, inputs: Mapping[int, Array]) -> None:
        super().__init__(ours, theirs, spool, inputs)
        self.result = Alignment(ours, theirs, self.found, self.harmless)
        self._tried = 0
        self._deadline = time.process_time() + _SECONDS

    def explain(self, ends: Sequence[tuple[Outlet, Outlet]]) -> None:
        """Put tensors of the other model in the place of own ones until the ends are those of the other model."""
        while wrong := [pair for pair in ends if not self._agrees(*pair)]:
            region = self._best(wrong)
            if region is None:
                return
            self.result.regions.append(region)
            behind = self._behind({region.end.node})
            doubtful = [id for id in behind if not all(map(self._is_certain, self.ours.outlets(id)))]
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

    def _is_certain(self, outlet: Outlet) -> bool:
        """Return whether a tensor was found, and not by chance: its inputs were found, or its layer is of the type."""
        other = self.found.get(outlet)
        if other is None:
            return False
        before = (source for source in self.ours.sources(outlet.node) if source is not None)
        alike = self.ours.node(outlet.node).type == self.theirs.node(other.node).type
        return alike or all(source in self.found for source in before)

    def _cone(self, ends: Iterable[Outlet], most: int | None = None, *, doubt: bool = False) -> set[int]:
        """Return the layers that lead to some ends, as far as their tensors have no counterpart, or no certain one."""
        is_known = self._is_certain if doubt else self.found.__contains__
        waiting, cone = list(ends), set[int]()
        while waiting and (most is None or len(cone) <= most):
            outlet = waiting.pop()
            if not is_known(outlet) and outlet.node in self.ours.steps and outlet.node not in cone:
                cone.add(outlet.node)
                waiting += [source for source in self.ours.sources(outlet.node) if source is not None]
        return cone

    def _other_cone(self, end: Outlet) -> set[int]:
        """Return the layers of the other model that lead to a tensor, as far as no own layer has found theirs."""
        waiting, cone = [end], set[int]()
        while waiting and len(cone) <= _WIDEST:
            outlet = waiting.pop()
            if (
                outlet.node in self.theirs.steps
                and outlet.node not in cone
                and (outlet == end or not self._is_taken(outlet))
            ):
                cone.add(outlet.node)
                waiting += [source for source in self.theirs.sources(outlet.node) if source is not None]
        return cone

    def _is_taken(self, other: Outlet) -> bool:
        """Return whether own layers go on with a tensor of the other model, or with an equal one."""
        if other in self.taken or other not in self.tensors:
            return other in self.taken
        array = self.tensors[other]
        equal = (twin for _, twin in self.tensors.near(array, 0.0) if twin in self.taken)
        return not is_plain(array) and any(distance(array, self.tensors[twin]) == 0 for twin in equal)

    def _behind(self, start: Iterable[int]) -> list[int]:
        """Return the layers that depend on some, in topological order."""
        waiting, behind = list(start), set[int]()
        while waiting:
            id = waiting.pop()
            for after in self.ours.after(id) - behind:
                behind.add(after)
                waiting.append(after)
        return [id for id in self.ours.steps if id in behind]

    def _best(self, wrong: Sequence[tuple[Outlet, Outlet]]) -> Region | None:
        """Return the smallest region that explains most ends."""
        cone = self._cone((outlet for outlet, _ in wrong), doubt=True)
        best: tuple[int, Region] | None = None
        for region in self._candidates(cone, wrong):
            self._tried += 1
            if self._tried > _MOST or time.process_time() > self._deadline:
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

    def _candidates(self, cone: set[int], wrong: Sequence[tuple[Outlet, Outlet]]) -> Iterator[Region]:
        """Yield regions, the smallest first; of equal ones those whose ends have the same name or type first.

        A tensor with NaN or infinities explains whatever follows, so layers that make them count as one more.
        """
        others: dict[Outlet, tuple[int, ...]] = {}
        found: list[tuple[tuple[int, bool, bool, bool, int], Region]] = []
        for outlet, layers in self._ends(cone, wrong):
            node = self.ours.node(outlet.node)
            for other in self._plausible(outlet, dict(wrong)):
                twin = self.theirs.node(other.node)
                if other not in others:
                    part = self._other_cone(other)
                    others[other] = tuple(id for id in self.theirs.steps if id in part)
                beside = () if other in self.taken else others[other]
                if len(beside) <= _WIDEST and (layers or beside):
                    is_one_sided = not layers or not beside
                    spreads = bool(beside) and not self.tensors.is_finite(other)
                    size = len(layers) + len(beside) + (is_one_sided or twin.type != node.type) + spreads
                    order = size, spreads, twin.name != node.name, twin.type != node.type, len(found)
                    found.append((order, Region(outlet, other, layers, beside)))
        found.sort(key=lambda item: item[0])
        yield from (region for _, region in found)

    def _ends(self, cone: set[int], wrong: Sequence[tuple[Outlet, Outlet]]) -> Iterator[tuple[Outlet, tuple[int, ...]]]:
        """Yield the outlets at which a difference may end, with the own layers that lead there from what agrees."""
        fed = {source for id in cone for source in self.ours.sources(id) if source in self.found}
        fed |= {outlet for outlet, _ in wrong if outlet in self.found}
        for source in sorted(outlet for outlet in fed if outlet is not None):
            yield source, ()
        for id in self.ours.steps:
            for outlet in self.ours.outlets(id) if id in cone else ():
                inside = self._cone([outlet], _WIDEST)
                if outlet not in self.found and len(inside) <= _WIDEST:
                    yield outlet, tuple(at for at in self.ours.steps if at in inside)

    def _plausible(self, outlet: Outlet, ends: Mapping[Outlet, Outlet]) -> Iterator[Outlet]:
        """Yield tensors of the other model that may stand in the place of an own one."""
        node = self.ours.node(outlet.node)
        own = self.value(outlet)
        shape = None if own is None else own.shape
        if outlet in self.found:
            here = self.found[outlet]
            for id in sorted(self.theirs.after(here.node)):
                if here in self.theirs.sources(id):
                    yield from (
                        end
                        for end in self.theirs.outlets(id)
                        if end in self.tensors and self.tensors.shape(end) == shape
                    )
            if outlet in ends:
                yield ends[outlet]
            return
        if outlet in ends:
            yield ends[outlet]
        fed = {self.found[source] for source in self.ours.sources(outlet.node) if source in self.found}
        yield from (other for other in fed if self.tensors.shape(other) == shape)
        for other in self.tensors:
            twin = self.theirs.node(other.node)
            if other in self.taken or other == ends.get(outlet) or twin.id not in self.theirs.steps:
                continue
            if self.tensors.shape(other) == shape or (
                twin.type == node.type and (twin.name == node.name or shape is None or self._feeds(outlet, other))
            ):
                yield other

    def _feeds(self, outlet: Outlet, other: Outlet) -> bool:
        """Return whether two layers read the same tensors."""
        mine = {self.found.get(source) for source in self.ours.sources(outlet.node) if source is not None}
        return None not in mine and mine == {s for s in self.theirs.sources(other.node) if s is not None}

    def _gain(self, region: Region, cone: set[int], wrong: Sequence[tuple[Outlet, Outlet]]) -> int:
        """Return how many ends agree with a tensor of the other model at the end of a region."""
        over = {region.end: self.tensors[region.other]}
        ends = dict(wrong)
        reached = sum(outlet == region.end and self._is_end(over[outlet], other) for outlet, other in wrong)
        lost = 0
        behind = [id for id in self._behind({region.end.node}) if id in cone]
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
