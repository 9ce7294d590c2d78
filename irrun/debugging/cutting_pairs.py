"""The same part of two models as a case: what lies between tensors that agree and tensors that do not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from irrun.debugging.cases import Case
from irrun.debugging.cutting import constant_nodes, cut_out, model_of
from irrun.debugging.faults import DebugError
from irrun.debugging.places import Passer
from irrun.debugging.ports import completed, in_type_of, paired
from irrun.debugging.sides import run_as_written
from irrun.debugging.verdicts import Cut
from irrun.editing import MutableGraph
from irrun.graph import Node, Outlet
from irrun.model import Loaded, Port
from irrun.ops._declared.infrastructure.parameter import Parameter
from irrun.tensor import Array


def of_layers(model: Loaded, id: int, other: Loaded, twin: int) -> Cut:
    """Return where a layer of each model is to be cut out: they read tensors at the same inputs.

    DebugError where they do not.
    """
    ours, theirs = model.graph.sources(id), other.graph.sources(twin)
    known = constant_nodes(model.graph), constant_nodes(other.graph)
    places = [
        [port for port, outlet in enumerate(some) if outlet is not None and outlet.node not in constant]
        for some, constant in zip((ours, theirs), known, strict=True)
    ]
    if places[0] != places[1]:
        raise DebugError(f'"{model.graph.node(id).name}" has other inputs in the other model')
    starts = [(a, b) for port in places[0] if (a := ours[port]) is not None and (b := theirs[port]) is not None]
    ends = zip(model.facts.outlets(id), other.facts.outlets(twin), strict=False)
    return Cut(tuple(dict.fromkeys(starts)), tuple(ends))


def joint(model: Loaded, other: Loaded, cut: Cut, inputs: Mapping[int, Array]) -> Case:
    """Return a part of two models as a case of both, with the tensors of the other model as inputs of either part.

    ``inputs`` are those of the other model by place. Both parts have the same inputs, of the names of the first one.
    """
    values = {Outlet(at, 0): inputs[place] for place, at in enumerate(other.graph.parameters)}
    wanted = {b for _, b in cut.starts} - values.keys()
    if wanted:
        run_as_written(other, inputs, {}, Passer(lambda key, array: values.__setitem__(key, array.copy()), wanted))
    first, ours = cut_out(model, list(dict.fromkeys(a for a, _ in cut.starts)), [a for a, _ in cut.ends])
    second, theirs = cut_out(other, list(dict.fromkeys(b for _, b in cut.starts)), [b for _, b in cut.ends])
    used = [pair for pair in cut.starts if pair[0] in ours or pair[1] in theirs]
    places = [(_place(ours, used, 0, at), _place(theirs, used, 1, at)) for at in range(len(used))]
    like = [first.inputs[a] if a is not None else second.inputs[b or 0] for a, b in places]
    models = (
        _with_inputs(first, [a for a, _ in places], like),
        _with_inputs(second, [b for _, b in places], like),
    )
    return Case(models, tuple(in_type_of(port, values[b]) for port, (_, b) in zip(like, used, strict=True)))


def _place(outlets: Sequence[Outlet], used: Sequence[tuple[Outlet, Outlet]], side: int, at: int) -> int | None:
    """Return the place of an input of a part; None for one that it does not read, or that an earlier pair has."""
    outlet = used[at][side]
    is_first = all(pair[side] != outlet for pair in used[:at])
    return list(outlets).index(outlet) if is_first and outlet in outlets else None


def _with_inputs(model: Loaded, places: Sequence[int | None], like: Sequence[Port]) -> Loaded:
    """Return a model with its inputs in another order, None for one that it does not read, and of the names of others.

    DebugError where it has more inputs.
    """
    if set(places) - {None} != set(range(len(model.inputs))):
        raise DebugError("a part of the model reads a tensor that the other one does not have")
    edited = MutableGraph(model.graph, model.facts, model.weights)
    parameters: list[int] = []
    for place, port in zip(places, like, strict=True):
        names = (tuple(sorted(port.names)),)
        if place is None:
            op = Parameter(element_type=port.element_type, shape=port.partial_shape)
            record = Node(-1, port.node_name, op.type, "opset1", op, 0, 1, names, None, {})
            parameters.append(edited.add(record, ()))
        else:
            id = model.graph.parameters[place]
            node = model.graph.node(id)
            if node.name != port.node_name:
                edited.update(node._replace(name=port.node_name, names=names, layer=None))
            parameters.append(id)
    edited.graph.ends = edited.graph.ends._replace(parameters=tuple(parameters))
    return model_of(model, *edited.freeze())


def beside(model: Loaded, other: Loaded) -> Loaded:
    """Return a model with its inputs in the order of those of another one, where they can be."""
    found = paired(model.inputs, other.inputs)
    if found == list(range(len(other.inputs))):
        return other
    places = completed(found, len(other.inputs))
    like = [model.inputs[at] if place is None else other.inputs[place] for at, place in enumerate(places)]
    try:
        return _with_inputs(other, places, like)
    except DebugError:
        return other
