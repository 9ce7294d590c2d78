"""What a request needs of the compiled model that it runs."""

from __future__ import annotations

from typing import Any

from irrun.graph import Node as Record
from irrun.model import Compiled, Loaded, Port
from irrun.openvino.nodes.node import Node
from irrun.openvino.nodes.ports import ConstOutput, find_port
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


def end(cls: type[Node], record: Record, port: Port) -> ConstOutput:
    """Return an end of the model as a port that knows what callers pass or receive."""
    node = cls.__new__(cls)
    fact = Fact(port.element_type, port.partial_shape)
    node._begin(record._replace(names=(tuple(sorted(port.names)),)), (), (fact,))
    return ConstOutput(node, 0)
