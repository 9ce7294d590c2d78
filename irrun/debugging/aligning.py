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
from typing import Any, Final

import numpy as np

from irrun.debugging.places import Passer
from irrun.debugging.quantising import QUANTISER, Loss, Read, judge, quantiser_noise
from irrun.debugging.replaying import Layers
from irrun.debugging.resembling import SAME, Tensors, distance, is_plain
from irrun.debugging.spool import Spool
from irrun.graph import Outlet
from irrun.jobs.progress import working
from irrun.model import Loaded
from irrun.tensor import Array

_CLOSE: Final = 0.7
"""The distance up to which a layer may be the one that the other model has with coarser numbers."""

_TRIED: Final = 4
"""Close layers that are tried."""

_WIDEST: Final = 24
"""Layers of a region up to which it is looked at."""

_MOST: Final = 400
"""Tensors that are put in place of another, at most."""

_PATIENCE: Final = 12
"""Layers behind such a tensor that are computed before one of them must be found."""

_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class Harmless:
    """A layer whose results differ because of coarser numbers on one side."""

    layer: int
    other: int
    loss: Loss
    error: float


@dataclass(frozen=True, slots=True)
class Region:
    """Layers between tensors that agree, and a tensor that does not: here the difference begins.

    ``end`` is the outlet whose tensor the other model has otherwise at ``other``; ``layers`` and ``others`` lead to
    them from what agrees, in topological order: none on the side where the tensor itself agrees with what is before.
    ``error`` is that of the tensor for inputs that agree. All behind agrees once the tensor is that of the other model.
    ``noise`` is that of a region which is a single quantiser (`quantiser_noise`). ``starts`` are the tensors that agree
    and that the region reads, by pairs; None where one of them has no counterpart of the same shape.
    """

    end: Outlet
    other: Outlet
    layers: tuple[int, ...]
    others: tuple[int, ...]
    error: float = 0.0
    noise: float | None = None
    starts: tuple[tuple[Outlet, Outlet], ...] | None = None


@dataclass
class Alignment:
    """Two models side by side, as far as they were matched.

    ``found`` are the outlets of the other model by those of the first. ``is_explained`` says that the outputs agree
    once the tensors at the ends of all ``regions`` are those of the other model.
    """

    ours: Layers
    theirs: Layers
    found: dict[Outlet, Outlet] = field(default_factory=dict)
    harmless: list[Harmless] = field(default_factory=list)
    regions: list[Region] = field(default_factory=list)
    is_explained: bool = True


class _Aligner:
    def __init__(self, ours: Layers, theirs: Layers, spool: Spool, inputs: Mapping[int, Array]) -> None:
        self.ours, self.theirs = ours, theirs
        self.tensors = Tensors(spool)
        self._spool = spool
        self._named = {(node.name, node.type): node.id for node in theirs.graph.ordered() if node.id in theirs.steps}
        self.result = Alignment(ours, theirs)
        self.found = self.result.found
        self._inputs = inputs
        self._taken: set[Outlet] = set()
        self._shapes: dict[Outlet, tuple[int, ...]] = {}
        self._tried = 0
        self._deadline = time.monotonic() + _SECONDS

    # -- values

    def value(self, outlet: Outlet, over: Mapping[Outlet, Array] | None = None) -> Array | None:
        """Return the tensor that layers behind an outlet go on with."""
        if over is not None and outlet in over:
            return over[outlet]
        if outlet in self.found:
            array = self.tensors[self.found[outlet]]
            shape = self._shapes.get(outlet)
            return array if shape is None else array.reshape(shape)
        key = "own", outlet
        return self._spool.get(key) if key in self._spool else None

    def given(self, id: int, over: Mapping[Outlet, Array] | None = None) -> list[Array | None] | None:
        """Return the inputs of a layer; None where one is not known."""
        inputs: list[Array | None] = []
        for outlet in self.ours.sources(id):
            value = None if outlet is None else self.value(outlet, over)
            if outlet is not None and value is None:
                return None
            inputs.append(value)
        return inputs

    def same(self, outlet: Outlet, array: Array) -> Outlet | None:
        """Return the tensor of the other model that has the same values; of several, one of the same name or type."""
        node = self.ours.node(outlet.node)
        near = [other for _, other in self.tensors.near(array, SAME)[:64]]
        if is_plain(array):
            near = [other for other in near if self.theirs.node(other.node).type == node.type]
            named = self._named.get((node.name, node.type), -1)
            near = [other for other in near if named in (-1, other.node)]
        near = [other for other in near if _is_alike(array.shape, self.tensors.shape(other))]

        def rank(other: Outlet) -> tuple[bool, bool, bool, bool, bool]:
            twin = self.theirs.node(other.node)
            return (
                twin.name != node.name or other.port != outlet.port,
                twin.type != node.type,
                other in self._taken,
                self.tensors.shape(other) != tuple(array.shape),
                other.port != outlet.port,
            )

        return next((other for other in sorted(near, key=rank) if distance(array, self.tensors[other]) <= SAME), None)

    def take(self, outlet: Outlet, other: Outlet, array: Array | None = None) -> None:
        """Let the layers behind an outlet go on with a tensor of the other model, in the shape of an own one."""
        self.found[outlet] = other
        self._taken.add(other)
        self._spool.drop(("own", outlet))
        self._shapes.pop(outlet, None)
        if array is not None:
            self._shapes[outlet] = tuple(array.shape)

    # -- forward

    def forward(self) -> None:
        """Find what can be found by value."""
        for place, id in enumerate(self.ours.parameters):
            outlet, array = Outlet(id, 0), self._inputs[place]
            other = self.same(outlet, array)
            if other is not None:
                self.take(outlet, other, array)
            else:
                self._spool.put(("own", outlet), array)
        for id in self.ours.steps:
            self._visit(id)

    def _visit(self, id: int) -> None:
        given = self.given(id)
        made = None if given is None else self.ours.compute(id, given)
        if made is None or given is None:
            return
        for outlet, array in zip(self.ours.outlets(id), made, strict=True):
            other = self.same(outlet, array)
            if other is not None:
                self.take(outlet, other, array)
        if any(outlet not in self.found for outlet in self.ours.outlets(id)):
            coarser = self._coarser(id, given, made)
            if coarser is not None:
                self.result.harmless.append(coarser)
                self.take(Outlet(id, 0), Outlet(coarser.other, 0))
        for outlet, array in zip(self.ours.outlets(id), made, strict=True):
            if outlet not in self.found:
                self._spool.drop(("own", outlet))
                self._spool.put(("own", outlet), array)

    def _coarser(
        self,
        id: int,
        given: Sequence[Array | None],
        made: Sequence[Array],
        over: Mapping[Outlet, Array] | None = None,
    ) -> Harmless | None:
        """Return the layer that the other model computes with coarser numbers, if there is one."""
        if len(made) != 1 or made[0].dtype.kind != "f":
            return None
        (array,), node = made, self.ours.node(id)
        near = [item for item in self.tensors.near(array, _CLOSE) if self.theirs.node(item[1].node).type == node.type]
        near = [item for item in near if item[1] not in self._taken and item[1].node in self.theirs.steps]
        near.sort(key=lambda item: (self.theirs.node(item[1].node).name != node.name, item[0]))
        for _, other in near[:_TRIED]:
            loss = self._loss(Read(self.ours, id, given, lambda source: self.value(source, over)), other)
            if loss is not None:
                return Harmless(id, other.node, loss, distance(array, self.tensors[other]))
        return None

    def _loss(self, read: Read, other: Outlet) -> Loss | None:
        """Return what the other model loses in its inputs of a layer, if that explains its result; else None."""
        inputs = self.inputs_of(other.node)
        if inputs is None or len(inputs) != len(read.inputs):
            return None
        made = self.ours.compute(read.id, self._filled(read.id, inputs, other.node))
        if made is None or distance(made[other.port], self.tensors[other]) > SAME:
            return None
        return judge(read, Read(self.theirs, other.node, inputs, self.tensors.get))

    def inputs_of(self, other: int) -> list[Array | None] | None:
        """Return the inputs of a layer of the other model as it ran."""
        inputs: list[Array | None] = []
        for outlet in self.theirs.sources(other):
            if outlet is not None and outlet not in self.tensors:
                return None
            inputs.append(None if outlet is None else self.tensors[outlet])
        return inputs

    def _filled(self, id: int, inputs: Sequence[Array | None], other: int) -> list[Array | None]:
        """Return inputs with the constants of the other model, in the types that a layer takes."""
        constants = self.theirs.constants(other)
        filled = [constants.get(port) if array is None else array for port, array in enumerate(inputs)]
        own = self.ours.constants(id)
        return [
            array.astype(own[port].dtype)
            if array is not None and port in own and array.dtype != own[port].dtype
            else array
            for port, array in enumerate(filled)
        ]

    # -- differences

    def explain(self, ends: Sequence[tuple[Outlet, Outlet]]) -> None:
        """Put tensors of the other model in the place of own ones until the ends are those of the other model."""
        while wrong := [pair for pair in ends if not self._agrees(*pair)]:
            region = self._best(wrong)
            if region is None:
                return
            self.result.regions.append(region)
            self.take(region.end, region.other)
            for id in self._behind({region.end.node}):
                if any(outlet not in self.found for outlet in self.ours.outlets(id)):
                    self._visit(id)

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

    def _cone(self, ends: Iterable[Outlet], most: int | None = None) -> set[int]:
        """Return the layers that lead to some ends, as far as their tensors have no counterpart."""
        waiting, cone = list(ends), set[int]()
        while waiting and (most is None or len(cone) <= most):
            outlet = waiting.pop()
            if outlet not in self.found and outlet.node in self.ours.steps and outlet.node not in cone:
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
                and (outlet == end or outlet not in self._taken)
            ):
                cone.add(outlet.node)
                waiting += [source for source in self.theirs.sources(outlet.node) if source is not None]
        return cone

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
        cone = self._cone(outlet for outlet, _ in wrong)
        best: tuple[int, Region] | None = None
        for region in self._candidates(cone, wrong):
            self._tried += 1
            if self._tried > _MOST or time.monotonic() > self._deadline:
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
        noise = None
        if own is not None and (len(region.layers), len(region.others)) in ((0, 1), (1, 0)):
            layers, id = (self.ours, region.layers[0]) if region.layers else (self.theirs, region.others[0])
            if layers.node(id).type == QUANTISER:
                noise = quantiser_noise(layers, id, *((array, own) if region.layers else (own, array)), slices=True)
        error = np.inf if own is None else distance(own, array)
        return replace(region, error=error, noise=noise, starts=self._starts(region))

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
        """Yield regions, the smallest first; of equal ones those whose ends have the same name or type first."""
        others: dict[Outlet, tuple[int, ...]] = {}
        found: list[tuple[tuple[int, bool, bool, int], Region]] = []
        for outlet, layers in self._ends(cone, wrong):
            node = self.ours.node(outlet.node)
            for other in self._plausible(outlet, dict(wrong)):
                twin = self.theirs.node(other.node)
                if other not in others:
                    part = self._other_cone(other)
                    others[other] = tuple(id for id in self.theirs.steps if id in part)
                beside = () if other in self._taken else others[other]
                if len(beside) <= _WIDEST and (layers or beside):
                    is_one_sided = not layers or not beside
                    size = len(layers) + len(beside) + (is_one_sided or twin.type != node.type)
                    order = size, twin.name != node.name, twin.type != node.type, len(found)
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
            if other in self._taken or other == ends.get(outlet) or twin.id not in self.theirs.steps:
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
                    coarser = self._coarser(id, given, made, over)
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


def _is_alike(shape: Sequence[int], other: Sequence[int]) -> bool:
    """Return whether elements in the same order may be one tensor: the axes are not those of the other, permuted."""
    return tuple(shape) == tuple(other) or sorted(shape) != sorted(other)


def align(
    model: Loaded,
    other: Loaded,
    inputs: Mapping[int, Array],
    others: Mapping[int, Array],
    ends: Sequence[int | None],
    config: Mapping[str, Any] | None = None,
) -> Alignment:
    """Align two models, each on inputs by place; ``ends`` has the place of the other's output for each own one."""
    ours, theirs = Layers(model, config), Layers(other, config)
    with Spool() as spool, working("aligning"):
        aligner = _Aligner(ours, theirs, spool, inputs)
        for place, id in enumerate(other.graph.parameters):
            aligner.tensors.put(Outlet(id, 0), others[place])
        theirs.run(others, Passer(aligner.tensors.put))
        aligner.forward()
        pairs = [
            (source, target)
            for place, end in enumerate(ends)
            if end is not None
            and (source := model.graph.sources(model.graph.results[place])[0]) is not None
            and (target := other.graph.sources(other.graph.results[end])[0]) is not None
            and ours.is_computed(source.node)
            and theirs.is_computed(target.node)
        ]
        aligner.explain(pairs)
        is_whole = None not in ends and len(ends) == len(other.graph.results) and aligner.constants_agree(ends)
        aligner.result.is_explained = is_whole and all(aligner._agrees(*pair) for pair in pairs)
    return aligner.result
