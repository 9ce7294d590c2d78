"""Grows a graph layer by layer. The value of every tensor is known at once; layers with useless values are undone."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

import numpy as np

from irrun.ops import Op, OpError
from irrun.ops.registry import resolve
from irrun.runtime.state import State
from irrun.tensor import Array, Dim, ElementType, Fact, Shape
from irrun.tensor.element_type import BOOLEAN, FLOAT
from tests.lab.graphs import values
from tests.lab.graphs.departures import departure
from tests.lab.graphs.evaluate import Evaluator, Use, infer_layer, run_layer
from tests.lab.graphs.graph import Body, Constant, Graph, Input, Layer, Node, Source
from tests.lab.graphs.theme import RUNNABLE, Theme
from tests.ops.random_draws import Random

Types = Collection[ElementType]

KEPT_DEPARTURES: Final = 0.02
"""The share of layers with a known departure that are kept nevertheless."""


RUN_TIME: Final = (ValueError, IndexError, ZeroDivisionError, OverflowError)
"""Kernels fail with these where sizes or indices do not fit that were not known before."""


class Rejected(Exception):
    """A layer that would be wrong, useless, or too large."""


class Unsound(Exception):
    """A value outside what irrun inferred of it."""


class Tensor(NamedTuple):
    """A tensor of a growing graph: where it comes from, what is known of it, what it holds."""

    source: Source
    fact: Fact
    array: Array
    is_rounded: bool = False
    """Whether another order of sums, or another precision, may change its elements."""

    @property
    def type(self) -> ElementType:
        return self.fact.type

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    @property
    def rank(self) -> int:
        return self.array.ndim


class Grower:
    """A graph under construction. Those of bodies share the draws and the theme of the graph around them."""

    def __init__(self, draw: Random, theme: Theme, *, is_body: bool = False) -> None:
        self.draw = draw
        self.theme = theme
        self.is_body = is_body
        self.nodes: list[Node] = []
        self.tensors: list[Tensor] = []
        self.used: set[Source] = set()

    # -- nodes

    def parameter(self, type: ElementType, array: Array, shape: Shape | None = None) -> Tensor:
        """A new input with the value ``array``, a constant in a body. The theme decides which sizes are dynamic."""
        if self.is_body:
            return self.constant(type, array)
        return self.input(Fact(type, shape if shape is not None else self._told(array.shape)), array)

    def input(self, fact: Fact, array: Array) -> Tensor:
        """An input as it is."""
        self.nodes.append(Input(fact, array))
        named = Fact(fact.type, fact.shape.named(f"in{len(self.nodes) - 1}"))
        return self._made(named, array, is_rounded=self.is_body)

    def _told(self, sizes: tuple[int, ...]) -> Shape:
        draw, dims = self.draw, []
        for size in sizes:
            if not draw.chance(self.theme.dynamic):
                dims.append(Dim.exactly(size))
            else:
                dims.append(Dim() if draw.chance(0.7) else Dim(max(size - draw.int(0, 3), 0), size + draw.int(0, 3)))
        return Shape(dims)

    def constant(self, type: ElementType, array: Array) -> Tensor:
        value = np.asarray(array)
        self.nodes.append(Constant(type, value))
        return self._made(Fact.of(type, value), value)

    def _made(self, fact: Fact, array: Array, port: int = 0, *, is_rounded: bool = False) -> Tensor:
        tensor = Tensor(Source(len(self.nodes) - 1, port), fact, array, is_rounded)
        self.tensors.append(tensor)
        return tensor

    def add(
        self,
        type: str,
        version: int | str,
        inputs: Sequence[Tensor],
        attributes: Mapping[str, Any] | None = None,
        *,
        outputs: int | None = None,
        bodies: Mapping[str, Body] | None = None,
    ) -> list[Tensor]:
        """A layer, and the tensors that it makes. Rejected where the result would be of no use."""
        is_boolean = (attributes or {}).get("destination_type") is BOOLEAN
        if type == "Convert" and is_boolean and self._is_one_of_several(inputs[0]):
            raise Rejected("Convert: OpenVINO makes booleans of the first output")
        name = f"opset{version}" if isinstance(version, int) else version
        sources = tuple(tensor.source for tensor in inputs)
        inner = {tag: Evaluator(body.graph) for tag, body in (bodies or {}).items()}
        try:
            op = resolve(type, name)(**(attributes or {}))
            layer = Layer(op, sources, outputs or len(op.outputs), bodies or {})
            facts = infer_layer(layer, [tensor.fact for tensor in inputs])
            if any(fact.rank is None or not fact.type.is_known for fact in facts):
                raise Rejected(f"{type}: dynamic rank")
            if any(fact.shape.size.lo > values.MOST_ELEMENTS for fact in facts):
                raise Rejected(f"{type}: too large")
            if not _has_certain_shapes(layer, inputs):
                raise Rejected(f"{type}: rounding decides the shape")
            kinds = [fact.type for fact in facts]
            known, given = [tensor.fact for tensor in inputs], [tensor.array for tensor in inputs]
            arrays = run_layer(layer, kinds, known, given, State(), inner)
        except (OpError, *RUN_TIME) as error:
            raise Rejected(f"{type}: {error}") from None
        for fact, array in zip(facts, arrays, strict=True):
            if not fact.admits(array):
                raise Unsound(f"{op}: {array.dtype}{list(array.shape)} is outside {fact!r}; inputs {inputs}")
        use = Use(op, known, given, kinds, arrays)
        if (useless := values.useless(use)) is not None:
            raise Rejected(f"{type}: {useless}")
        if departure(use) is not None and not self.draw.chance(KEPT_DEPARTURES):
            raise Rejected(f"{type}: departure")
        self.nodes.append(Layer(op, sources, len(facts), bodies or {}))
        self.used |= set(sources)
        return [
            self._made(fact, array, port, is_rounded=_is_rounded(op, inputs, fact.type))
            for port, (fact, array) in enumerate(zip(facts, arrays, strict=True))
        ]

    def _is_one_of_several(self, tensor: Tensor) -> bool:
        node = self.nodes[tensor.source.node]
        return isinstance(node, Layer) and node.outputs > 1

    def one(self, type: str, version: int | str, *inputs: Tensor, **attributes: Any) -> Tensor:
        """A layer of one output."""
        return self.add(type, version, inputs, attributes)[0]

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Undo what was added since where a layer is rejected."""
        nodes, tensors, used = len(self.nodes), len(self.tensors), set(self.used)
        try:
            yield
        except (Rejected, OpError):
            del self.nodes[nodes:], self.tensors[tensors:]
            self.used = used
            raise

    # -- tensors to use

    def find(self, types: Types, suits: Callable[[Tensor], bool]) -> Tensor | None:
        """A tensor of the graph; those that nothing reads yet, and late ones, are preferred."""
        found = [tensor for tensor in self.tensors if tensor.type in types and suits(tensor)]
        if not found:
            return None
        weights = np.array([(4 if tensor.source not in self.used else 1) * (1 + i) for i, tensor in enumerate(found)])
        return found[int(self.draw.source.choice(len(found), p=weights / weights.sum()))]

    def fresh(
        self, types: Types, shape: Sequence[int], low: float = -4, high: float = 4, constant: float | None = None
    ) -> Tensor:
        """A new Parameter or Const."""
        type = self.theme.type(self.draw, types)
        if type is None:
            raise Rejected("no type of tensor fits")
        array = values.draw_array(self.draw, type, shape, low, high)
        if self.draw.chance(self.theme.constant if constant is None else constant):
            return self.constant(type, array)
        return self.parameter(type, array)

    def ints(self, numbers: Sequence[int] | int, types: Types, constant: float | None = None) -> Tensor:
        """A tensor that holds these integers: a Const, or a Parameter."""
        kind = self.theme.type(self.draw, [type for type in types if type in RUNNABLE and values.holds(type, numbers)])
        if kind is None:
            raise Rejected("no integer type fits")
        array = np.asarray(numbers, kind.dtype)
        fixed = self.draw.chance(0.85 if constant is None else constant)
        return self.constant(kind, array) if fixed else self.parameter(kind, array, Shape(array.shape))

    # -- the end

    def graph(self, results: Sequence[Tensor]) -> Graph:
        return Graph(tuple(self.nodes), tuple(tensor.source for tensor in results))


def _has_certain_shapes(layer: Layer, inputs: Sequence[Tensor]) -> bool:
    """Return whether the shapes of the outputs follow without the elements of rounded inputs."""
    if not any(tensor.is_rounded for tensor in inputs):
        return True
    known = [
        Fact(tensor.type, Shape(tensor.shape)) if tensor.is_rounded else Fact.of(tensor.type, tensor.array)
        for tensor in inputs
    ]
    return all(fact.shape.is_static for fact in infer_layer(layer, known))


def _is_rounded(op: Op, inputs: Sequence[Tensor], type: ElementType) -> bool:
    """Return whether rounding may change an output of this type. Bodies and variables may compute anything."""
    if op.type == "ShapeOf":
        return False
    is_computed = type in FLOAT and op.spec.category != "movement"
    return is_computed or bool(op.bodies) or "state" in op.spec.run_asks or any(tensor.is_rounded for tensor in inputs)
