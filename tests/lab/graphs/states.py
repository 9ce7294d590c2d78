"""Variables: a ReadValue now, an Assign of something that depends on it at the end."""

from __future__ import annotations

from irrun.tensor import Shape
from irrun.tensor.element_type import STRING
from tests.lab.graphs import adapt
from tests.lab.graphs.bodies import plain
from tests.lab.graphs.grow import Grower, Rejected, Tensor
from tests.lab.graphs.theme import RUNNABLE


class States:
    """The variables of a growing graph."""

    def __init__(self) -> None:
        self._read: list[tuple[str, int, Tensor]] = []

    @property
    def is_empty(self) -> bool:
        return not self._read

    def read(self, grower: Grower) -> None:
        """Add a variable that begins as a tensor of the graph, or as zeros."""
        kinds = RUNNABLE - {STRING}
        initial = grower.find(kinds, lambda t: 0 < t.array.size < 200)
        if initial is None:
            raise Rejected("nothing to begin with")
        name, version = f"variable_{len(self._read)}", grower.draw.pick((3, 6, 6))
        given = {"variable_id": name}
        inputs = [initial]
        if version == 6:
            shape = plain(initial).shape
            if grower.draw.chance(0.3):
                inputs, shape = [], Shape(initial.shape)
            given |= {"variable_type": initial.type, "variable_shape": shape}
        (tensor,) = grower.add("ReadValue", version, inputs, given)
        self._read.append((name, version, tensor))

    def assign(self, grower: Grower) -> None:
        """Write every variable: something of its type and shape, which depends on it where the version demands that."""
        for name, version, tensor in self._read:
            try:
                with grower.attempt():
                    value = adapt.like(grower, tensor)
                    if version == 3 or grower.draw.chance(0.4):
                        value = grower.one("Maximum", 1, tensor, value) if tensor.type.kind != "boolean" else tensor
                    grower.add("Assign", version, [value], {"variable_id": name})
            except Rejected:
                grower.add("Assign", version, [tensor], {"variable_id": name})

    def keep(self, grower: Grower) -> None:
        """Write every variable as it was read."""
        for name, version, tensor in self._read:
            grower.add("Assign", version, [tensor], {"variable_id": name})
