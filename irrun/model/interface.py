"""The inputs and outputs of a model as its callers see them.

IR version 10 dates from an API with fewer element types, which named inputs and outputs after layers. Files of that
version have the types and names of that API, as in OpenVINO; the model computes in the declared types.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

from irrun.graph import Graph, Outlet
from irrun.inference import Facts
from irrun.model.port import Port
from irrun.tensor import DYNAMIC, ElementType, Fact
from irrun.tensor.element_type import F16, F32, I32, I64, STRING, U32, U64

LEGACY: Final = "10"
"""The IR version whose inputs and outputs differ from the declared ones in type and name."""

_KEPT: Final = frozenset({F32, STRING, DYNAMIC})
_INTEGERS: Final = frozenset({I64, I32, U64, U32})


class Interface(NamedTuple):
    """The inputs in the order of the Parameters in the file, and the outputs in the order of the Results."""

    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]


def interface(graph: Graph, facts: Facts, version: str | None) -> Interface:
    """Return the inputs and outputs of a graph read from a file of the given IR version."""
    names = _TensorNames({name for id in graph.results for name in graph.node(id).output_names})
    inputs = tuple([_input(index, id, graph, facts, names, version) for index, id in enumerate(graph.parameters)])
    results = zip(graph.results, facts.results(), strict=True)
    outputs = [_output(index, id, fact, graph, facts, names, version) for index, (id, fact) in enumerate(results)]
    return Interface(inputs, tuple(outputs))


def input_type(declared: ElementType, version: str | None) -> ElementType:
    """Return the element type that callers pass for a Parameter of type ``declared``."""
    return F32 if version == LEGACY and declared is F16 else declared


def output_type(declared: ElementType, version: str | None) -> ElementType:
    """Return the element type that callers receive for a Result of type ``declared``."""
    if version != LEGACY or declared in _KEPT:
        return declared
    return I32 if declared in _INTEGERS else F32


def legacy_output_name(outlet: Outlet, graph: Graph, facts: Facts) -> str:
    """Return the name of an output in IR version 10: the layer's, with the port number where it has several outputs."""
    node = graph.node(outlet.node)
    several = node.outputs > 1 or facts.get(Outlet(outlet.node, 1)) is not None
    return f"{node.name}.{outlet.port}" if several else node.name


def _input(index: int, id: int, graph: Graph, facts: Facts, tensors: _TensorNames, version: str | None) -> Port:
    node, outlet = graph.node(id), Outlet(id, 0)
    fact = facts.get(outlet) or Fact.unknown()
    names = tensors.distinct(outlet, node.names[0] if node.names else ())
    if version == LEGACY:
        names.append(node.name)
    return Port(index, node.name, names, input_type(fact.type, version), fact.shape, declared_type=fact.type)


def _output(
    index: int, id: int, fact: Fact, graph: Graph, facts: Facts, tensors: _TensorNames, version: str | None
) -> Port:
    result = graph.node(id)
    source = graph.sources(id)[0] if graph.sources(id) else None
    names: list[str] = []
    tensor: list[str] = []
    producer = result.name
    if source is not None:
        node = graph.node(source.node)
        producer = node.name
        names = tensors.distinct(source, node.names[source.port] if source.port < len(node.names) else ())
        if version == LEGACY:
            names.append(legacy_output_name(source, graph, facts))
        elif result.output_names:
            tensor = [name for name in names if name not in tensors.of_results]
            names = tensors.distinct(source, result.output_names)
    type = output_type(fact.type, version)
    return Port(index, producer, names, type, fact.shape, result.name, fact.type, tensor_names=tensor)


class _TensorNames:
    """Makes tensor names distinct: like OpenVINO, adds ``_1``, ``_2`` … to a repeated name.

    ``of_results`` are the names that Results give outputs.
    """

    def __init__(self, of_results: Collection[str]) -> None:
        self.of_results = of_results
        self._known: dict[tuple[Outlet, str], str] = {}
        self._taken: set[str] = set()
        self._repeated: dict[str, int] = {}

    def distinct(self, outlet: Outlet, names: Iterable[str]) -> list[str]:
        """Return the names of a tensor, with a number added to each that another tensor has."""
        return [self._known.get((outlet, name)) or self._add(outlet, name) for name in names]

    def _add(self, outlet: Outlet, name: str) -> str:
        free = name
        while free in self._taken:
            self._repeated[name] = self._repeated.get(name, 0) + 1
            free = f"{name}_{self._repeated[name]}"
        self._taken.add(free)
        self._known[outlet, name] = free
        return free
