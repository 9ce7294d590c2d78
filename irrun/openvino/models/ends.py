"""The nodes at the ends of a model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from irrun.graph import Outlet
from irrun.graph.graph import PARAMETER
from irrun.model import Loaded, Port
from irrun.model.interface import LEGACY
from irrun.openvino.nodes.node import Node, make
from irrun.openvino.nodes.op import Parameter, Result
from irrun.openvino.nodes.ports import Output
from irrun.openvino.nodes.records import fresh_name
from irrun.openvino.nodes.workspace import Workspace, joined


class Ends(NamedTuple):
    """The Parameters, Results and sinks of a model, in the order of its inputs and outputs."""

    parameters: list[Parameter]
    results: list[Result]
    sinks: list[Node]

    @property
    def graph(self) -> Workspace:
        """The graph that all of them are in, which they are brought into where they are not."""
        return joined([*self.results, *self.sinks, *self.parameters])

    @property
    def ids(self) -> tuple[tuple[int, ...], ...]:
        """The ids of the nodes in that graph."""
        return tuple(tuple(node._id for node in nodes) for nodes in self)


def ends_of(loaded: Loaded) -> Ends:
    """Return the ends of a model that was read, with the tensor names that callers see."""
    graph = Workspace(loaded.bound.graph, loaded.facts, loaded.weights)
    for outlet, names in interface_names(loaded).items():
        record = graph.node(outlet.node)
        known = [*record.names, *((),) * (outlet.port + 1 - len(record.names))]
        if set(known[outlet.port]) != names:
            known[outlet.port] = tuple(sorted(names))
            graph.update(record._replace(names=tuple(known)))
    for id, port in zip(loaded.bound.graph.results, loaded.outputs, strict=True):
        record = graph.node(id)
        if loaded.version != LEGACY and set(record.output_names) != port.names and not _returns_input(graph, id):
            graph.update(record._replace(output_names=tuple(sorted(port.names))))
    nodes: Any = (
        [graph.handle(id) for id in ids]
        for ids in (loaded.bound.graph.parameters, loaded.bound.graph.results, loaded.bound.graph.sinks)
    )
    ends = Ends(*nodes)
    if loaded.version == LEGACY:
        _convert(loaded.inputs, loaded.outputs, ends)
    return ends


def _returns_input(graph: Workspace, id: int) -> bool:
    """Return whether a Result returns an input as it is, whose names are not those of an output."""
    return any(source is not None and graph.node(source.node).type == PARAMETER for source in graph.sources(id))


def interface_names(loaded: Loaded) -> dict[Outlet, frozenset[str]]:
    """Return the tensor names of inputs, and of outputs without names of their own, by the outlets that have them."""
    graph = loaded.bound.graph
    found = {Outlet(id, 0): port.names for id, port in zip(graph.parameters, loaded.inputs, strict=True)}
    for id, port in zip(graph.results, loaded.outputs, strict=True):
        source = next(iter(graph.sources(id)), None)
        if source is not None and not graph.node(id).output_names:
            found[source] = found.get(source, frozenset()) | port.names
    return found


def _convert(inputs: Iterable[Port], outputs: Iterable[Port], ends: Ends) -> None:
    """Convert inputs and outputs whose types differ from the declared ones, as IR version 10 has them."""
    for port, parameter in zip(inputs, ends.parameters, strict=True):
        if port.element_type is not port.declared_type:
            output = Output(parameter, 0)
            users = output.get_target_inputs()
            parameter.set(port.element_type, parameter.fact(0).shape, parameter.friendly_name)
            convert = make("Convert", "opset1", [output], {"destination_type": port.declared_type})
            for target in users:
                target.replace_source_output(Output(convert, 0))
    for port, result in zip(outputs, ends.results, strict=True):
        if port.element_type is not port.declared_type:
            source = result.input_value(0)
            convert = make("Convert", "opset1", [source], {"destination_type": port.element_type})
            if source.node.get_output_size() == 1 and not isinstance(source.node, Parameter):
                convert.friendly_name = source.node.friendly_name
                source.node.friendly_name = fresh_name(source.node.get_type_name())
            Output(convert, 0).set_names(source.names)
            source.set_names(())
            result.set_argument(0, Output(convert, 0))
            result.validate_and_infer_types()
