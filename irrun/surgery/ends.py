"""Other outputs of models, and variables in place of inputs and outputs."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping

from irrun.graph import Bound, Graph, Node, Outlet
from irrun.graph.graph import RESULT
from irrun.inference import Facts
from irrun.model import InputError, Loaded
from irrun.model.arguments import find_port
from irrun.openvino.models.model import Model
from irrun.openvino.passes.states import MakeStateful, make_stateless
from irrun.openvino.values.rt_info import plain
from irrun.ops._declared.infrastructure.result import Result
from irrun.surgery.attributes import outlet_of
from irrun.surgery.drafts import VERSION, closed, opened


def set_outputs(model: Loaded, add: Iterable[str] = (), remove: Iterable[str] = ()) -> Loaded:
    """Return a model with further outputs, behind the others, and without some; what only these needed goes with them.

    Tensors to add are given by name, or as an output of a layer, ``split:1``; outputs to remove by name. InputError for
    unknown names, tensors that are outputs already, and where no output would be left.
    """
    plain_model, edited = opened(model)
    graph = edited.graph
    results = list(graph.results)
    gone = {results[find_port(plain_model.outputs, name, "output").index] for name in remove}
    kept = [id for id in results if id not in gone]
    for key in add:
        outlet = outlet_of(edited, key)
        node = edited.node(outlet.node)
        if node.type == RESULT or any(_source(edited.sources(id)) == outlet for id in kept):
            raise InputError(f'tensor "{key}" is an output already')
        names = node.names[outlet.port] if outlet.port < len(node.names) else ()
        own = names or ((node.name,) if node.outputs == 1 else (f"{node.name}:{outlet.port}",))
        name = f"{node.name}/sink_port_{outlet.port}"
        record = Node(-1, name, RESULT, "opset1", Result(), 1, 0, (), None, {}, output_names=own)
        kept.append(edited.add(record, [outlet], ()))
    if not kept:
        raise InputError("no output is left, expected one at least")
    edited.remove(gone)
    needed = edited.graph.upstream((*kept, *graph.sinks)).union(graph.parameters)
    edited.remove(set(edited.graph) - needed)
    edited.graph.ends = edited.graph.ends._replace(results=tuple(kept))
    return closed(edited, plain_model)


def _source(sources: tuple[Outlet | None, ...]) -> Outlet | None:
    return next(iter(sources), None)


def make_states(model: Loaded, pairs: Mapping[str, str]) -> Loaded:
    """Return a model with variables in place of inputs and outputs, which are given by name; they begin with zeros.

    InputError for unknown names, and where type or shape of an input and its output differ.
    """
    made = Model.of(model)
    for first, second in pairs.items():
        before, after = find_port(model.inputs, first, "input"), find_port(model.outputs, second, "output")
        if before.element_type is not after.element_type:
            what = f'output "{second}" is {after.element_type}, expected {before.element_type}, as input "{first}"'
            raise InputError(what)
        if not before.partial_shape.compatible(after.partial_shape):
            what = f'output "{second}" has shape {after.partial_shape}, expected {before.partial_shape}'
            raise InputError(f'{what}, that of input "{first}"')
    ends = [(made.inputs[find_port(model.inputs, a, "input").index].node, b) for a, b in pairs.items()]
    nodes = [(node, made.outputs[find_port(model.outputs, b, "output").index].node) for node, b in ends]
    MakeStateful(nodes, variables=[first + second for first, second in pairs.items()]).run_on_model(made)
    return loaded(made)


def remove_states(model: Loaded, variables: Iterable[str] = ()) -> Loaded:
    """Return a model with inputs and outputs in place of variables, by default of all; InputError for unknown ones."""
    made = Model.of(model)
    try:
        found = make_stateless(made, list(variables) or None)
    except RuntimeError as error:
        raise InputError(str(error)) from None
    if not found:
        raise InputError("the model has no variables")
    return loaded(made)


def loaded(model: Model) -> Loaded:
    """Return a model of OpenVINO's API as it is now, with its notes."""
    value = model.value
    notes = {name: item for name, item in plain(dict(model.rt_info)).items() if name != "version"}
    graph = _with_own_names(value.graph)
    facts = Facts(graph, value.facts.of, value.facts.bodies, value.facts.diagnostics)
    bound, name, origin = Bound(graph, (), value.bound.means), model.friendly_name, value.origin
    return Loaded(bound, facts, value.weights, origin, name=name, version=VERSION, notes=notes)


def _with_own_names(graph: Graph) -> Graph:
    """Return a graph whose new nodes have names that no other node has."""
    nodes = [graph.node(id) for id in graph]
    taken = {node.name for node in nodes if _is_read(node)}
    renamed = []
    for node in nodes:
        if not _is_read(node):
            name = next(name for name in _names(node.name) if name not in taken)
            taken.add(name)
            renamed += [node._replace(name=name)] if name != node.name else []
    return graph.with_nodes(renamed) if renamed else graph


def _names(name: str) -> Iterator[str]:
    """Yield a name, and then the name with numbers."""
    yield name
    yield from (f"{name}_{number}" for number in itertools.count(1))


def _is_read(node: Node) -> bool:
    return node.layer is not None and node.layer.element >= 0
