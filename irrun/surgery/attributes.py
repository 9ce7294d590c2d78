"""Other attributes of layers, and values of single constants."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from irrun.diagnostics import OpError, Severity, near_match
from irrun.document.records import LayerElement
from irrun.editing import MutableGraph
from irrun.graph import Node, Outlet
from irrun.graph.attributes import attributes
from irrun.model import InputError, Loaded
from irrun.model.layers import find_layer
from irrun.ops._declared.infrastructure.const import Const, HeldConst
from irrun.ops.extension import Extension
from irrun.surgery.drafts import closed, everywhere, opened
from irrun.tensor import Array, ElementType, Fact


def set_attributes(model: Loaded, layer: str, values: Mapping[str, str]) -> Loaded:
    """Return a model with other attributes of a layer, as texts in the form of the file, and the shapes that follow.

    InputError for an unknown layer or attribute, a text that does not fit, and where the model does not fit any more.
    """
    return _changed(model, layer, lambda _, node: _with_attributes(node, values))


def set_weights(model: Loaded, layer: str, values: Array | float) -> Loaded:
    """Return a model with other values of a constant: an array of its type and shape, or the number of a single one.

    InputError for an unknown layer, one that is no constant, and an array of another type or shape.
    """
    return _changed(model, layer, lambda graph, node: _with_values(graph, node, values))


def _changed(model: Loaded, layer: str, change: Callable[[MutableGraph, Node], Node]) -> Loaded:
    plain, edited = opened(model)
    place = find_layer(plain, layer)

    def edit(graph: MutableGraph, path: str) -> None:
        if path == place.path and graph.has(place.node.id) and graph.node(place.node.id).layer is place.node.layer:
            graph.update(change(graph, graph.node(place.node.id)))

    everywhere(edited, edit)
    made = closed(edited, plain)
    errors = [item for item in made.facts.diagnostics if item.severity is Severity.ERROR]
    known = {item.message for item in plain.diagnostics}
    fault = next((item for item in errors if item.message not in known), None)
    if fault is not None:
        name = "" if fault.layer is None else f'layer "{fault.layer.name}": '
        raise InputError(f"{name}{fault.message}")
    return made


def _with_attributes(node: Node, values: Mapping[str, str]) -> Node:
    op = node.op
    if op is None or isinstance(op, Extension):
        raise InputError(f'layer "{node.name}" ({node.type}) is not understood, so its attributes are not known')
    if isinstance(op, Const):
        raise InputError(f'layer "{node.name}" is a constant: irrun edit weights sets its values')
    known = {spec.name: spec for spec in op.spec.attributes}
    for name in values:
        if name not in known:
            raise InputError(f'{node.type} has no attribute "{name}"{near_match(name, known)}')
    before = {name: spec.text(getattr(op, spec.field)) for name, spec in known.items() if _is_given(op, spec)}
    layer = node.layer if node.layer is not None else LayerElement(-1, "", *_kind(node), None, {}, None, (), (), ())
    data = {**(layer.data or before), **values}
    read = attributes(layer._replace(data=data), known, op.spec.ignored, correct=False, fragment=True)
    fault = next((item for item in read.diagnostics if item.severity is Severity.ERROR), None)
    if fault is not None or read.values is None:
        raise InputError(fault.message if fault is not None else f"{node.type} does not have these attributes")
    try:
        made = type(op).as_read(read.values)
    except OpError as error:
        raise InputError(f'layer "{node.name}": {error}') from None
    return node._replace(op=made, layer=layer._replace(data=data))


def _is_given(op: object, spec: object) -> bool:
    return getattr(op, getattr(spec, "field", ""), None) is not None


def _kind(node: Node) -> tuple[str, str, str]:
    return node.name, node.type, node.version


def _with_values(graph: MutableGraph, node: Node, values: Array | float) -> Node:
    op = node.op
    if not isinstance(op, Const):
        sources = [graph.source(node.id, port) for port in range(node.inputs)]
        read = next((item.name for item in sources if item is not None and isinstance(item.op, Const)), None)
        hint = "" if read is None else f'; it reads the constant "{read}"'
        raise InputError(f'layer "{node.name}" ({node.type}) is no constant{hint}')
    array = values if isinstance(values, np.ndarray) else _number(values, op)
    shape = op.shape.static
    if array.shape != shape:
        raise InputError(f'the array has shape {list(array.shape)}, expected {list(shape)}, that of "{node.name}"')
    fact = Fact.of(op.element_type, _carried(array, op.element_type, node.name))
    graph.touch(node.id)
    return node._replace(op=HeldConst.of(fact))


def _number(value: float, op: Const) -> Array:
    if op.shape.size.lo != 1:
        raise InputError(f"the constant is {op.element_type}{op.shape}, expected an array instead of a number")
    if not op.element_type.is_float and value != int(value):
        raise InputError(f"{value:g} is not an integer, expected a value of {op.element_type}")
    array = np.full(op.shape.static, value if op.element_type.is_float else int(value))
    return array.astype(op.element_type.dtype) if op.element_type.is_float else array


def _carried(array: Array, type: ElementType, name: str) -> Array:
    """Return an array in the carrier of a type; InputError where it has another type, or values beyond it."""
    if type.kind == "string":
        if array.dtype.kind not in "UO":
            raise InputError(f'the array is {array.dtype}, expected strings, those of "{name}"')
        return array.astype(object)
    exact = array.dtype in (np.dtype(type.external), np.dtype(type.dtype))
    if type.is_float and exact:
        return array.astype(type.dtype)
    if not type.is_float and (array.dtype.kind in "iu" or exact):
        low, high = _limits(type)
        if array.size and not (low <= array.min() and array.max() <= high):
            raise InputError(f"the array has values from {array.min()} to {array.max()}, expected those of {type}")
        return array.astype(type.dtype)
    raise InputError(f'the array is {array.dtype}, expected {np.dtype(type.external)} for the {type} of "{name}"')


def _limits(type: ElementType) -> tuple[int, int]:
    """Return the least and the greatest integer of a type."""
    bits = 1 if type.kind == "boolean" else type.bits
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if type.kind == "int" else (0, (1 << bits) - 1)


def outlet_of(graph: MutableGraph, key: str) -> Outlet:
    """Return the tensor with a name, or an output of a layer, ``split:1``; InputError where there is none."""
    names = {
        name: Outlet(id, port)
        for id in graph.graph
        for port, given in enumerate(graph.node(id).names)
        for name in given
    }
    if key in names:
        return names[key]
    layer, colon, index = key.rpartition(":")
    name, port = (layer, int(index)) if colon and index.isdecimal() else (key, 0)
    layers = {graph.node(id).name: id for id in graph.graph}
    if name not in layers:
        raise InputError(f'no tensor "{key}"{near_match(key, (*names, *layers))}')
    if port >= len(graph.outputs(layers[name])):
        count = len(graph.outputs(layers[name]))
        raise InputError(f'layer "{name}" has {count} outputs, so there is no output {port}')
    return Outlet(layers[name], port)
