"""Regions of two models that a difference may lie in: layers before a tensor of one, and before one of the other."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from irrun.debugging.finding import Finder
from irrun.debugging.replaying import Layers
from irrun.debugging.resembling import distance, is_plain
from irrun.graph import Outlet

_WIDEST: Final = 24
"""Layers of a region up to which it is looked at."""


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

    @property
    def width(self) -> int:
        """The number of layers of the side that has more."""
        return max(len(self.layers), len(self.others))


class Searcher(Finder):
    """Finds tensors by value, and the regions in which the difference of those that are not found may lie."""

    def candidates(self, cone: set[int], wrong: Sequence[tuple[Outlet, Outlet]]) -> Iterator[Region]:
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
        for outlet, other in self._alternatives(cone):
            is_named = self.ours.node(outlet.node).name == self.theirs.node(other.node).name
            region = Region(outlet, other, (outlet.node,), (other.node,))
            found.append(((2, False, not is_named, False, len(found)), region))
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
                inside = self.cone([outlet], most=_WIDEST)
                if outlet not in self.found and len(inside) <= _WIDEST:
                    yield outlet, tuple(at for at in self.ours.steps if at in inside)

    def _alternatives(self, cone: Container[int]) -> Iterator[tuple[Outlet, Outlet]]:
        """Yield few integers that were found, with others that a layer of the type makes of the same tensors."""
        twins: dict[tuple[str, int], list[Outlet]] = {}
        for other in self.tensors:
            if other.node in self.theirs.steps and self.tensors.is_few(other):
                twins.setdefault((self.theirs.node(other.node).type, other.port), []).append(other)
        for id in self.ours.steps:
            for outlet in self.ours.outlets(id) if id in cone else ():
                here = self.found.get(outlet)
                if here is not None and self.tensors.is_few(here):
                    alike = twins.get((self.ours.node(id).type, outlet.port), ())
                    yield from ((outlet, other) for other in alike if other != here and self._feeds(outlet, other))

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

    def is_certain(self, outlet: Outlet) -> bool:
        """Return whether a tensor was found, and not by chance: its inputs were found, or its layer is of the type."""
        other = self.found.get(outlet)
        if other is None:
            return False
        before = (source for source in self.ours.sources(outlet.node) if source is not None)
        alike = self.ours.node(outlet.node).type == self.theirs.node(other.node).type
        return alike or all(source in self.found for source in before)

    def derived(self) -> set[Outlet]:
        """Return the tensors that were found, and all before them, without those that may be equal by chance.

        Those of a part that resembles another one may be, and integers of which the other model has alternatives.
        """
        derived = {Outlet(id, 0) for id in self.ours.parameters}
        doubtful = {outlet for outlet, _ in self._alternatives(self.ours.steps)}
        for id in self.ours.steps:
            if all(source in derived for source in self.ours.sources(id) if source is not None):
                found = [outlet for outlet in self.ours.outlets(id) if outlet in self.found]
                derived |= set(found) - doubtful
        return derived

    def cone(
        self, ends: Iterable[Outlet], is_known: Callable[[Outlet], bool] | None = None, most: int | None = None
    ) -> set[int]:
        """Return the layers that lead to some ends, from tensors that are known, by default those that were found."""
        return _leading(self.ours, ends, self.found.__contains__ if is_known is None else is_known, most)

    def _other_cone(self, end: Outlet) -> set[int]:
        """Return the layers of the other model that lead to a tensor, as far as no own layer has found theirs."""
        return _leading(self.theirs, [end], lambda outlet: outlet != end and self._is_taken(outlet), _WIDEST)

    def _is_taken(self, other: Outlet) -> bool:
        """Return whether own layers go on with a tensor of the other model, or with an equal one."""
        if other in self.taken or other not in self.tensors:
            return other in self.taken
        array = self.tensors[other]
        equal = (twin for _, twin in self.tensors.near(array, 0.0) if twin in self.taken)
        return not is_plain(array) and any(distance(array, self.tensors[twin]) == 0 for twin in equal)

    def behind(self, start: Iterable[int]) -> list[int]:
        """Return the layers that depend on some, in topological order."""
        waiting, behind = list(start), set[int]()
        while waiting:
            id = waiting.pop()
            for after in self.ours.after(id) - behind:
                behind.add(after)
                waiting.append(after)
        return [id for id in self.ours.steps if id in behind]


def _leading(layers: Layers, ends: Iterable[Outlet], is_known: Callable[[Outlet], bool], most: int | None) -> set[int]:
    """Return the layers that lead to some ends from tensors that are known, up to one more than ``most`` of them."""
    waiting, leading = list(ends), set[int]()
    while waiting and (most is None or len(leading) <= most):
        outlet = waiting.pop()
        if outlet.node in layers.steps and outlet.node not in leading and not is_known(outlet):
            leading.add(outlet.node)
            waiting += [source for source in layers.sources(outlet.node) if source is not None]
    return leading
