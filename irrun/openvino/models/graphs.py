"""Conversions between a graph, which never changes, and the nodes that users hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from irrun.graph import Graph, Outlet
from irrun.model import Loaded
from irrun.model.interface import LEGACY
from irrun.openvino.nodes.constants import held
from irrun.openvino.nodes.node import Node, Output
from irrun.openvino.nodes.op import CLASSES, Parameter, Result
from irrun.tensor import Fact


class Parts(NamedTuple):
    """The nodes at the ends of a model."""

    parameters: list[Parameter]
    results: list[Result]
    sinks: list[Node]


def nodes_of(loaded: Loaded) -> tuple[dict[int, Node], Parts]:
    """Return a node for each node of a graph, by id, and those at the ends, named as callers see them."""
    graph, made = loaded.bound.graph, dict[int, Node]()
    names = {Outlet(id, 0): port.names for id, port in zip(graph.parameters, loaded.inputs, strict=True)}
    for id, port in zip(graph.results, loaded.outputs, strict=True):
        source = next(iter(graph.sources(id)), None)
        if source is not None:
            names[source] = names.get(source, frozenset()) | port.names
    for record in graph.ordered():
        id = record.id
        facts = [loaded.facts[outlet] for outlet in loaded.facts.outlets(id)]
        known = [*record.names, *((),) * (len(facts) - len(record.names))]
        tensors = tuple(tuple(sorted(names.get(Outlet(id, port), given))) for port, given in enumerate(known))
        cls = CLASSES.get(record.type, Node)
        node = cls.__new__(cls)
        sources = [Output(made[item.node], item.port) for item in graph.sources(id) if item is not None]
        node._begin(
            held(record, loaded.weights.read, facts[0] if facts else None)._replace(names=tensors), sources, facts
        )
        made[id] = node
    parts = Parts(*([made[id] for id in ids] for ids in (graph.parameters, graph.results, graph.sinks)))  # type: ignore[arg-type]
    if loaded.version == LEGACY:
        _convert_ends(loaded, parts)
    return made, parts


def _convert_ends(loaded: Loaded, parts: Parts) -> None:
    """Convert inputs and outputs whose types differ from the declared ones, as IR version 10 has them."""
    from irrun.openvino.nodes.building import fresh_name, make

    for port, parameter in zip(loaded.inputs, parts.parameters, strict=True):
        if port.element_type is not port.declared_type:
            users = Output(parameter, 0).target_inputs
            parameter.set(port.element_type, parameter.fact(0).shape, parameter.friendly_name)
            convert = make("Convert", "opset1", [Output(parameter, 0)], {"destination_type": port.declared_type})
            for target in users:
                target.replace_source_output(Output(convert, 0))
    for port, result in zip(loaded.outputs, parts.results, strict=True):
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


def ordered(ends: Iterable[Node]) -> list[Node]:
    """Return the nodes that some nodes depend on, and those themselves, in topological order."""
    found: dict[int, Node] = {}
    for end in ends:
        waiting: list[tuple[Node, Iterator[Output]]] = [(end, iter(end.input_values()))]
        open_nodes = {id(end)}
        while waiting:
            node, sources = waiting[-1]
            for source in sources:
                if id(source.node) in open_nodes:
                    raise RuntimeError(f'node "{source.node.friendly_name}" depends on its own output')
                if id(source.node) not in found:
                    waiting.append((source.node, iter(source.node.input_values())))
                    open_nodes.add(id(source.node))
                    break
            else:
                found.setdefault(id(node), node)
                open_nodes.discard(id(node))
                waiting.pop()
    return list(found.values())


def graph_of(parts: Parts) -> tuple[Graph, dict[int, Node], dict[int, Fact]]:
    """Return a new graph of the nodes, those nodes by id, and the facts of its Parameters."""
    nodes = ordered([*parts.results, *parts.sinks, *parts.parameters])
    by_id: dict[int, Node] = {}
    ids: dict[int, int] = {}
    free = 1 + max((node.record.id for node in nodes), default=0)
    for node in nodes:
        own = node.record.id
        if own < 0 or own in by_id:
            own, free = max(free, 0), max(free, 0) + 1
        by_id[own], ids[id(node)] = node, own
    records, sources = {}, {}
    for number, node in by_id.items():
        layer = node.record.layer
        kept = None if layer is None else layer._replace(name=node.friendly_name, output_names=None)
        records[number] = node.record._replace(id=number, layer=kept, outputs=node.get_output_size())
        sources[number] = tuple(Outlet(ids[id(item.node)], item.index) for item in node.input_values())
    _require_parameters(nodes, parts.parameters)
    parameters, results, sinks = ([ids[id(node)] for node in group] for group in parts)
    counted = [record._replace(inputs=len(sources[number])) for number, record in records.items()]
    graph = Graph.of(counted, sources, parameters, results, sinks)
    return graph, by_id, {ids[id(node)]: node.fact(0) for node in parts.parameters}


def _require_parameters(nodes: Sequence[Node], parameters: Sequence[Node]) -> None:
    known = {id(node) for node in parameters}
    for node in nodes:
        if isinstance(node, Parameter) and id(node) not in known:
            raise RuntimeError(
                f'Parameter "{node.friendly_name}" is used, but is not among the parameters of the model'
            )
