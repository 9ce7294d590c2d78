"""The base of compiled models, with what a request needs of one."""

from __future__ import annotations

from typing import Any

from irrun.graph import Graph
from irrun.graph import Node as Record
from irrun.model import Compiled, Loaded, Port
from irrun.openvino.nodes.node import Node
from irrun.openvino.nodes.ports import ConstOutput, find_port
from irrun.openvino.nodes.workspace import HANDLES
from irrun.tensor import Fact


class Runnable:
    """A compiled model: its engine, the model that it was built from, and its ports."""

    _engine: Compiled
    _loaded: Loaded
    _inputs: list[ConstOutput]
    _outputs: list[ConstOutput]

    @property
    def engine(self) -> Compiled:
        """The model without OpenVINO's names."""
        return self._engine

    @property
    def inputs(self) -> list[ConstOutput]:
        """The inputs, in the order of the Parameters."""
        return list(self._inputs)

    @property
    def outputs(self) -> list[ConstOutput]:
        """The outputs, in the order of the Results."""
        return list(self._outputs)

    def get_property(self, property: Any) -> Any:
        """Return a property of the model."""
        raise NotImplementedError


def ports_text(inputs: list[ConstOutput], outputs: list[ConstOutput]) -> str:
    """Return the inputs and outputs, one in a line."""
    first, second = (",\n".join(map(repr, ports)) for ports in (inputs, outputs))
    return f"inputs[\n{first}\n]\noutputs[\n{second}\n]"


def port_of(ports: list[ConstOutput], key: Any, what: str) -> ConstOutput:
    """Return a port of a compiled model; RuntimeError where there is none."""
    try:
        return find_port(ports, key, what)
    except IndexError as error:
        raise RuntimeError(str(error)) from None


def input_end(record: Record, port: Port) -> ConstOutput:
    """Return an input of the model as a port that knows what callers pass."""
    return ConstOutput(_node(record._replace(names=(tuple(sorted(port.names)),)), port), 0)


def output_end(graph: Graph, id: int, port: Port) -> ConstOutput:
    """Return an output of the model as a port that knows what callers receive, with the node that makes it."""
    outlet = graph.sources(id)[0]
    if outlet is None:
        return ConstOutput(_node(graph.node(id), port), 0)
    names = tuple(tuple(sorted(port.names)) for _ in range(outlet.port + 1))
    source = _node(graph.node(outlet.node)._replace(outputs=outlet.port + 1, names=names), port, outlet.port + 1)
    return ConstOutput(_node(graph.node(id), port, 1, (source, outlet.port)), 0)


def _node(record: Record, port: Port, count: int = 1, *sources: tuple[Node, int]) -> Node:
    """Return a node with outputs of the type and the shape of a port."""
    cls: Any = HANDLES.get(record.type, HANDLES[""])
    node: Node = cls.__new__(cls)
    node._begin(record, sources, (Fact(port.element_type, port.partial_shape),) * count)
    return node
