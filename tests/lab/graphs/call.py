"""A layer while it is drawn."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final

import numpy as np

from irrun.ops import In, Op, TypeVar
from irrun.ops.spec import AttrSpec
from irrun.tensor import ElementType
from irrun.tensor.element_type import I32, I64, INTEGER
from tests.lab.graphs import adapt, shapes
from tests.lab.graphs.grow import Grower, Rejected, Tensor
from tests.lab.graphs.theme import RUNNABLE
from tests.lab.graphs.values import holds

ABSENT: Final = object()
"""An attribute that is not written, or the end of the inputs."""

_INDICES: Final = (I64,) * 10 + (I32,) * 6 + tuple(sorted(INTEGER & RUNNABLE, key=str))
"""Types of indices and sizes: one for all inputs of a layer, where that is allowed."""

Maker = Callable[["Call"], Any]
Recipe = Mapping[str, Maker]
"""By name of an input or attribute: how it is drawn. ``outputs`` tells how many there are where that varies."""


class Call:
    """The inputs and attributes of one layer by name, each made by its maker when it is first asked for.

    ``call["data"]`` is a tensor, ``call["axis"]`` a value. Makers ask for what they depend on, in any order. Names that
    are neither input nor attribute serve to share what is drawn.
    """

    def __init__(self, grower: Grower, cls: type[Op], recipe: Recipe) -> None:
        self.grower = grower
        self.draw = grower.draw
        self.cls = cls
        self.spec = cls.spec
        self.recipe = recipe
        self._made: dict[str, Any] = {}
        self._bound: dict[TypeVar, ElementType] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            maker = self.recipe.get(name)
            self._made[name] = maker(self) if maker is not None else self._by_declaration(name)
            self._bind(name, self._made[name])
        return self._made[name]

    @property
    def data(self) -> Tensor:
        """The first input."""
        first: Tensor = self[self.spec.inputs[0].name]
        return first

    def make(self) -> list[Tensor]:
        """Draw everything and add the layer."""
        inputs: list[Tensor] = []
        for port in self.spec.inputs:
            made = self[port.name]
            if made is ABSENT:
                break
            inputs += made if port.variadic else [made]
        attributes = {spec.field: self[spec.field] for spec in self.spec.attributes}
        given = {field: value for field, value in attributes.items() if value is not ABSENT}
        outputs = self["outputs"] if "outputs" in self.recipe else None
        return self.grower.add(self.spec.type, self.cls.opset, inputs, given, outputs=outputs)

    # -- by declaration

    def _by_declaration(self, name: str) -> Any:
        if name == "integers":
            return self.draw.pick(_INDICES)
        for port in self.spec.inputs:
            if port.name == name:
                if port.optional and self.draw.chance(0.5):
                    return ABSENT
                return [self.tensor(name)] if port.variadic else self.tensor(name)
        spec = next((item for item in self.spec.attributes if item.field == name), None)
        if spec is None:
            raise LookupError(f"{self.spec.type} has no {name}")
        return self._attribute(spec)

    def _attribute(self, spec: AttrSpec) -> Any:
        if not spec.required and self.draw.chance(0.4):
            return ABSENT
        low = max(spec.bounds.get(">=", 0), spec.bounds.get(">", 0))
        match spec.kind:
            case "bool":
                return self.draw.chance(0.5)
            case "enum":
                return self.draw.pick(spec.choices)
            case "int":
                return self.draw.int(int(low) + (">" in spec.bounds), int(low) + 3)
            case "float":
                return self.draw.number(low + 0.01, min(low + 3, spec.bounds.get("<=", np.inf)))
            case "type":
                return self.grower.theme.type(self.draw, RUNNABLE)
            case _:
                if spec.required:
                    raise LookupError(f"the recipe of {self.spec.type} lacks {spec.field}")
                return ABSENT

    # -- types

    def port(self, name: str) -> In:
        return next(port for port in self.spec.inputs if port.name == name)

    def types(self, name: str) -> Collection[ElementType]:
        """The types that an input may have, given those of the others."""
        kind = self.port(name).type
        if isinstance(kind, TypeVar):
            return [self._bound[kind]] if kind in self._bound else kind.among & RUNNABLE
        return [kind] if isinstance(kind, ElementType) else kind & RUNNABLE

    def _bind(self, name: str, made: Any) -> None:
        for port in self.spec.inputs:
            if port.name == name and isinstance(port.type, TypeVar):
                first = made[0] if isinstance(made, list) else made
                if isinstance(first, Tensor):
                    self._bound.setdefault(port.type, first.type)

    # -- tensors

    def tensor(
        self,
        name: str,
        *,
        shape: Sequence[int] | None = None,
        rank: Collection[int] | None = None,
        low: float = -np.inf,
        high: float = np.inf,
        types: Collection[ElementType] | None = None,
        suits: Callable[[Tensor], bool] = lambda _: True,
        constant: float | None = None,
    ) -> Tensor:
        """A tensor for an input: one of the graph, one that is made to fit, or a new one.

        ``constant`` is how likely a new one is a constant; 1 demands that.
        """
        among = [kind for kind in self.types(name) if types is None or kind in types]
        ranks = rank if rank is not None else self.port(name).rank
        grower = self.grower
        if not among:
            raise Rejected("no type fits")

        def fits(tensor: Tensor) -> bool:
            return (
                (shape is None or tensor.shape == tuple(shape))
                and (ranks is None or tensor.rank in ranks)
                and adapt.is_within(tensor, low, high)
                and suits(tensor)
            )

        if constant != 1 and self.draw.chance(0.9):
            found = grower.find(among, fits)
            if found is not None:
                return found
        wanted = tuple(shape) if shape is not None else self.shape(ranks)
        least, most = (-4 if low == -np.inf else low), (4 if high == np.inf else high)
        if constant != 1 and self.draw.chance(0.7):
            made = adapt.adapted(grower, among, wanted, least, most)
            if made is not None and suits(made):
                return made
        made = grower.fresh(among, wanted, least, most, constant)
        if not suits(made):
            raise Rejected("a new tensor does not suit")
        return made

    def shape(self, ranks: Collection[int] | None = None) -> tuple[int, ...]:
        """A shape of one of these ranks, of any small rank by default."""
        rank = self.draw.pick(sorted(ranks)) if ranks is not None else self.draw.pick((0, 1, 2, 3, 3, 4, 4, 5))
        return self.draw.shape(rank, rank)

    def ints(self, name: str, numbers: Any, constant: float | None = None) -> Tensor:
        """An integer tensor with these values: a Const, a Parameter, or arithmetic with shapes that gives them."""
        allowed = self.types(name)
        if constant != 1 and self.draw.chance(0.25):
            made = shapes.computed(self.grower, numbers, [self["integers"]] if self["integers"] in allowed else allowed)
            if made is not None:
                return made
        types = [self["integers"]] if self["integers"] in allowed and holds(self["integers"], numbers) else allowed
        return self.grower.ints(numbers, types, constant)
