"""The tensors of a model found among others by value, layer by layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from irrun.debugging.levels import LayerInputs, Loss
from irrun.debugging.quantising import judge
from irrun.debugging.replaying import Layers
from irrun.debugging.resembling import SAME, Tensors, distance, is_plain
from irrun.debugging.spool import Spool
from irrun.graph import Outlet
from irrun.tensor import Array

_CLOSE: Final = 0.7
"""The distance up to which a layer may be the one that the other model has with coarser numbers."""

_TRIED: Final = 4
"""Close layers that are tried."""

HELD: Final = 1 << 16
"""Elements of a constant that one exporter computes, and another one stores: a mask, positions, a grid."""


@dataclass(frozen=True, slots=True)
class Harmless:
    """A layer whose results differ because of coarser numbers on one side."""

    layer: int
    other: int
    loss: Loss
    error: float


class ByValue:
    """Finds the tensors of a model among others by value, layer by layer.

    ``found`` are the outlets of the others by own ones, ``taken`` those with which own layers go on.
    """

    def __init__(self, ours: Layers, spool: Spool, inputs: Mapping[int, Array]) -> None:
        self.ours: Layers = ours
        self.tensors: Tensors = Tensors(spool)
        self._spool = spool
        self._named: dict[tuple[str, str], int] = {}
        self.found: dict[Outlet, Outlet] = {}
        self.harmless: list[Harmless] = []
        self._inputs = inputs
        self.taken: set[Outlet] = set()
        self._shapes: dict[Outlet, tuple[int, ...]] = {}

    def described(self, other: Outlet) -> tuple[str, str]:
        """Return the name and the type of the layer that computes one of the other tensors."""
        raise NotImplementedError

    def is_read_alike(self, outlet: Outlet, other: Outlet) -> bool:
        """Return whether layers of the same types read an own tensor and another one, if these are known."""
        del outlet, other
        return True

    def coarser(
        self,
        id: int,
        given: Sequence[Array | None],
        made: Sequence[Array],
        over: Mapping[Outlet, Array] | None = None,
    ) -> Harmless | None:
        """Return the layer that computes the same with coarser numbers on the other side, if there is one."""
        del id, given, made, over
        return None

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
        """Return the tensor of the other model that has the same values; of several, one of the same name or type.

        Of these, one that layers of the same types read.
        """
        node = self.ours.node(outlet.node)
        near = [other for _, other in self.tensors.near(array, SAME)[:64]]
        if is_plain(array):
            near = [other for other in near if self.described(other)[1] == node.type]
            named = self._named.get((node.name, node.type), -1)
            near = [other for other in near if named in (-1, other.node)]
        near = [other for other in near if _is_alike(array.shape, self.tensors.shape(other))]

        def rank(other: Outlet) -> tuple[bool, ...]:
            name, type = self.described(other)
            return (
                name != node.name or other.port != outlet.port,
                self.tensors.type(other) != array.dtype,
                type != node.type,
                not self.is_read_alike(outlet, other),
                other in self.taken,
                self.tensors.shape(other) != tuple(array.shape),
                other.port != outlet.port,
            )

        return next((other for other in sorted(near, key=rank) if distance(array, self.tensors[other]) <= SAME), None)

    def take(self, outlet: Outlet, other: Outlet, array: Array | None = None) -> None:
        """Let the layers behind an outlet go on with a tensor of the other model, in the shape of an own one."""
        self.found[outlet] = other
        self.taken.add(other)
        self._spool.drop(("own", outlet))
        self._shapes.pop(outlet, None)
        if array is not None:
            self._shapes[outlet] = tuple(array.shape)

    def forward(self) -> None:
        """Find what can be found by value."""
        for place, id in enumerate(self.ours.parameters):
            outlet, array = Outlet(id, 0), self._inputs[place]
            other = self.same(outlet, array)
            if other is not None:
                self.take(outlet, other, array)
            else:
                self._spool.put(("own", outlet), array)
        for _, array in self.ours.held(HELD):
            if not is_plain(array):
                near = self.tensors.near(array, SAME)
                self.taken |= {other for _, other in near if distance(array, self.tensors[other]) <= SAME}
        for id in self.ours.steps:
            self.visit(id)

    def visit(self, id: int) -> None:
        """Compute a layer, and find its tensors, or the layer that has coarser numbers, unless all are found."""
        if all(outlet in self.found for outlet in self.ours.outlets(id)):
            return
        given = self.given(id)
        made = None if given is None else self.ours.compute(id, given)
        if made is None or given is None:
            return
        for outlet, array in zip(self.ours.outlets(id), made, strict=True):
            other = self.same(outlet, array)
            if other is not None:
                self.take(outlet, other, array)
        if any(outlet not in self.found for outlet in self.ours.outlets(id)):
            coarser = self.coarser(id, given, made)
            if coarser is not None:
                self.harmless.append(coarser)
                self.take(Outlet(id, 0), Outlet(coarser.other, 0))
        for outlet, array in zip(self.ours.outlets(id), made, strict=True):
            if outlet not in self.found:
                self._spool.drop(("own", outlet))
                self._spool.put(("own", outlet), array)


class Finder(ByValue):
    """Finds the tensors of a model among those of another one, whose layers can be computed one by one, too."""

    def __init__(self, ours: Layers, theirs: Layers, spool: Spool, inputs: Mapping[int, Array]) -> None:
        super().__init__(ours, spool, inputs)
        self.theirs: Layers = theirs
        self._named = {(node.name, node.type): node.id for node in theirs.graph.ordered() if node.id in theirs.steps}

    def described(self, other: Outlet) -> tuple[str, str]:
        twin = self.theirs.node(other.node)
        return twin.name, twin.type

    def is_read_alike(self, outlet: Outlet, other: Outlet) -> bool:
        """Return whether layers of the same types read two tensors."""
        return self.ours.types_after(outlet) == self.theirs.types_after(other)

    def coarser(
        self,
        id: int,
        given: Sequence[Array | None],
        made: Sequence[Array],
        over: Mapping[Outlet, Array] | None = None,
    ) -> Harmless | None:
        """Return the layer that the other model computes with coarser numbers, if there is one."""
        if len(made) != 1 or made[0].dtype.kind != "f":
            return None
        near = [item for item in self.tensors.near(made[0], _CLOSE) if item[1].node in self.theirs.steps]
        named = self.ours.node(id).name
        near.sort(key=lambda item: (self.theirs.node(item[1].node).name != named, item[0]))
        for core, factor in dict.fromkeys([(id, 1.0), self.ours.product_of(id)]):
            read = given if core == id else self.given(core, over)
            if read is None:
                continue
            mine = LayerInputs(self.ours, core, read, lambda source: self.value(source, over))
            type = self.ours.node(core).type
            alike = [(at, found) for _, at in near if at not in self.taken and (found := self._of_type(at, type))]
            for other, (twin, its_factor) in alike[:_TRIED]:
                loss = self._loss(mine, twin, its_factor / factor)
                if loss is not None:
                    return Harmless(id, other.node, loss, distance(made[0], self.tensors[other]))
        return None

    def _of_type(self, other: Outlet, type: str) -> tuple[Outlet, float] | None:
        """Return a tensor of a layer of a type with one, or the product that it is a multiple of, and the factor."""
        if self.theirs.node(other.node).type == type:
            return other, 1.0
        core, factor = self.theirs.product_of(other.node)
        return (Outlet(core, 0), factor) if self.theirs.node(core).type == type else None

    def _loss(self, read: LayerInputs, other: Outlet, factor: float) -> Loss | None:
        """Return what the other model loses in its inputs of a layer, if that explains its result; else None.

        Its weights have the inverse of a ``factor``.
        """
        inputs = self._inputs_of(other.node)
        if inputs is None or len(inputs) != len(read.inputs):
            return None
        made = self.ours.compute(read.id, self._filled(read.id, inputs, other.node))
        if made is None or distance(made[other.port], self.tensors[other]) > SAME:
            return None
        return judge(read, LayerInputs(self.theirs, other.node, inputs, self.tensors.get), factor)

    def _inputs_of(self, other: int) -> list[Array | None] | None:
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


def _is_alike(shape: Sequence[int], other: Sequence[int]) -> bool:
    """Return whether elements in the same order may be one tensor: the axes are not those of the other, permuted."""
    return tuple(shape) == tuple(other) or sorted(shape) != sorted(other)
