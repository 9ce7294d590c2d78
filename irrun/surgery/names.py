"""Other names of layers and tensors."""

from __future__ import annotations

from collections.abc import Container, Mapping

from irrun.diagnostics import amount, near_match
from irrun.document.info import key_of
from irrun.document.records import Info
from irrun.editing import MutableGraph
from irrun.graph import Node, Outlet
from irrun.graph.graph import NO_INFO, PARAMETER, RESULT, NodeInfo
from irrun.model import InputError, Loaded
from irrun.model.layers import places_of
from irrun.surgery.drafts import closed, everywhere, opened


def rename(model: Loaded, layers: Mapping[str, str], tensors: Mapping[str, str] | None = None) -> Loaded:
    """Return a model with other names of layers and tensors; InputError for unknown names and for taken ones.

    A layer in a body is given with the names around it, ``loop/add``; its new name is given without them. Two layers of
    one name both get the new one. A tensor is given by a name, by the name that an input or output without one is
    called by, or as an output of a layer, ``split:1``, which gets a further name.
    """
    plain, edited = opened(model)
    wanted = dict(tensors or {})
    places = list(places_of(plain))
    _require(layers, {place.name for place in places}, "layer")
    for new in (*layers.values(), *wanted.values()):
        if not new:
            raise InputError("a new name is empty")
    known = {name for place in places for names in (*place.node.names, place.node.output_names) for name in names}
    given = {old: wanted.pop(old) for old in list(wanted) if old not in known}

    def change(graph: MutableGraph, path: str) -> None:
        before = {id: graph.node(id).name for id in graph.graph}
        for id in before:
            node = graph.node(id)
            names = tuple(tuple(wanted.get(name, name) for name in tensor) for tensor in node.names)
            own = tuple(wanted.get(name, name) for name in node.output_names)
            other = node._replace(name=layers.get(path + node.name, node.name), names=names, output_names=own)
            if other != node:
                graph.update(other)
        _refuse_taken(graph, before)

    for old, new in given.items():
        _name(edited, plain, old, new)
    everywhere(edited, change)
    _refuse_taken_tensors(edited, {*wanted.values(), *given.values()})
    return closed(edited, plain)


def _refuse_taken(graph: MutableGraph, before: Mapping[int, str]) -> None:
    """Raise InputError where a layer has got the name of another one."""
    holders: dict[str, int] = {}
    for id in sorted(before, key=lambda id: graph.node(id).name != before[id]):
        name = graph.node(id).name
        other = holders.setdefault(name, id)
        if graph.node(id).name != before[id] and other != id and before[other] != before[id]:
            what = f"{graph.node(other).type} {_number(graph.node(other))}"
            raise InputError(f'the name "{name}" is that of {what} already, expected one that no layer has')


def _refuse_taken_tensors(graph: MutableGraph, new: Container[str]) -> None:
    """Raise InputError where two tensors have a name that is new for one of them."""
    holders: dict[str, Outlet] = {}
    for id in graph.graph:
        node = graph.node(id)
        own = [(name, Outlet(id, port)) for port, names in enumerate(node.names) for name in names]
        source = next(iter(graph.sources(id)), None)
        own += [(name, source) for name in node.output_names if source is not None]
        for name, outlet in own:
            other = holders.setdefault(name, outlet)
            if other != outlet and name in new:
                holder = f'output {other.port} of "{graph.node(other.node).name}"'
                raise InputError(f'the tensor name "{name}" is that of {holder} already, expected one that none has')


def _name(graph: MutableGraph, model: Loaded, old: str, new: str) -> None:
    """Name the tensor of an input or output that has no such name in the file, or an output of a layer."""
    ids = graph.graph.parameters, graph.graph.results
    for ports, nodes in zip((model.inputs, model.outputs), ids, strict=True):
        for port, id in zip(ports, nodes, strict=True):
            if old in (port.any_name, *port.names):
                names = tuple(sorted({*port.names - {old}, new}))
                node = graph.node(id)
                is_input = node.type == PARAMETER
                graph.update(node._replace(names=(names,)) if is_input else node._replace(output_names=names))
                return
    layer, colon, index = old.rpartition(":")
    name, number = (layer, int(index)) if colon and index.isdecimal() else (old, 0)
    found = [graph.node(id) for id in graph.graph if graph.node(id).name == name]
    if not found:
        named = {name for id in graph.graph for names in graph.node(id).names for name in names}
        ends = {port.any_name for port in (*model.inputs, *model.outputs)}
        raise InputError(f'no tensor "{old}"{near_match(old, named | ends)}')
    node = found[0]
    if node.type == RESULT:
        graph.update(node._replace(output_names=tuple(sorted({*node.output_names, new}))))
        return
    if number >= node.outputs:
        raise InputError(f'layer "{name}" has {amount(node.outputs, "output")}, so there is no output {number}')
    known = [*node.names, *((),) * (number + 1 - len(node.names))]
    known[number] = tuple(sorted({*known[number], new}))
    graph.update(node._replace(names=tuple(known)))


def _anonymous(info: NodeInfo) -> NodeInfo:
    """Return runtime information without names, and without what users note."""
    inputs, outputs = (tuple(_unnamed(entries) for entries in ports) for ports in (info.inputs, info.outputs))
    return NodeInfo(_unnamed(info.layer), inputs, outputs) if info is not NO_INFO else info


def _unnamed(info: Info) -> Info:
    return tuple(entry for entry in info if entry.tag == "attribute" and key_of(entry) != "fused_names_0")


def _number(node: Node) -> str:
    return f"layer {node.id if node.layer is None else node.layer.id}"


def without_names(model: Loaded) -> Loaded:
    """Return a model whose layers are called by their types and numbers, and whose tensors have no names.

    Inputs are called ``input_0`` and so on, outputs ``output_0``. Notes on how the model was made, and what users note
    on layers, are left out; marks and layouts stay.
    """
    plain, edited = opened(model)
    counts: dict[str, int] = {}

    def change(graph: MutableGraph, path: str) -> None:
        inputs = {id: f"input_{index}" for index, id in enumerate(graph.graph.parameters)} if not path else {}
        outputs = {id: f"output_{index}" for index, id in enumerate(graph.graph.results)} if not path else {}
        for id in list(graph.graph):
            node = graph.node(id)
            number = counts[node.type] = counts.get(node.type, -1) + 1
            name = inputs.get(id) or outputs.get(id) or f"{node.type}_{number}"
            names = ((inputs[id],),) if id in inputs else ((),) * len(node.names)
            graph.update(node._replace(name=name, names=names, info=_anonymous(node.info), output_names=()))
        for id, name in outputs.items():
            for outlet in graph.sources(id):
                record = None if outlet is None else graph.node(outlet.node)
                if record is not None and outlet is not None and record.id not in inputs:
                    padded = [*record.names, *((),) * (outlet.port + 1 - len(record.names))]
                    padded[outlet.port] = (*padded[outlet.port], name)
                    graph.update(record._replace(names=tuple(padded)))

    everywhere(edited, change)
    made = closed(edited, plain)
    return Loaded(made.bound, made.facts, made.weights, name="model", version=made.version)


def _require(given: Mapping[str, str], known: set[str], what: str) -> None:
    for name in given:
        if name not in known:
            raise InputError(f'no {what} "{name}"{near_match(name, known)}')
