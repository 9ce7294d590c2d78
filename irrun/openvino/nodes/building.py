"""Makes nodes from operations, one at a time, with the facts of their outputs."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from irrun.diagnostics import IRError, OpError, Severity, listing, near_match
from irrun.document.records import LayerElement
from irrun.document.weights import Weights
from irrun.graph import Bound, Graph, Outlet
from irrun.graph import Node as Record
from irrun.inference import Facts, infer
from irrun.openvino.nodes.node import CLASS_NAMES, Node, Output
from irrun.openvino.values.shapes import PartialShape, as_dims
from irrun.openvino.values.tensor import Tensor
from irrun.openvino.values.types import Type, as_element, element_of
from irrun.ops import Op
from irrun.ops.attributes import AttrSpec
from irrun.ops.calling import conform
from irrun.ops.infrastructure.parameter import Parameter as ParameterOp
from irrun.ops.infrastructure.result import Result as ResultOp
from irrun.ops.registry import resolve
from irrun.tensor import Array, ElementType, Fact, Shape
from irrun.tensor.element_type import BY_NAME

_numbers = itertools.count()
_NO_WEIGHTS: Final = Weights(None)


def fresh_name(type: str) -> str:
    """Return a name that no node had before."""
    return f"{CLASS_NAMES.get(type, type)}_{next(_numbers)}"


def record_of(op: Op, name: str, outputs: int = 1, names: Sequence[Sequence[str]] = ()) -> Record:
    """Return the record of an operation that no file has."""
    version = f"opset{op.opset}" if isinstance(op.opset, int) else op.opset
    layer = LayerElement(-1, "", name, op.type, version, None, {}, None, (), (), ())
    return Record(-1, name, op.type, version, op, 0, outputs, tuple(map(tuple, names)) or ((),) * outputs, layer, {})


def make(
    type: str,
    version: str | None,
    sources: Sequence[Output],
    attributes: Mapping[str, Any],
    name: str | None = None,
    *,
    into: type[Node] = Node,
) -> Node:
    """Return a new node; RuntimeError where attributes or inputs do not fit the operation."""
    try:
        op = resolve(type, version)(**attributes)
    except OpError as error:
        raise RuntimeError(f"{type}: {error}") from None
    record = record_of(op, name or fresh_name(type))
    facts = inferred(record, [source.fact for source in sources])
    node = into.__new__(into)
    node._begin(record._replace(outputs=len(facts), names=((),) * len(facts)), sources, facts)
    return node


def with_attribute(record: Record, name: str, value: Any) -> Record:
    """Return an operation with another value of an attribute; RuntimeError where it does not fit."""
    op = record.op
    spec = op.spec.attribute(name) if op is not None else None
    if op is None or spec is None:
        names = [] if op is None else [item.name for item in op.spec.attributes]
        raise RuntimeError(f"{record.type} has no attribute {name!r}{near_match(name, names)}")
    try:
        changed = type(op)(**{**vars(op), spec.field: attribute_value(spec, value)})
    except (OpError, TypeError, ValueError) as error:
        raise RuntimeError(f"{record.type}: {error}") from None
    layer = None if record.layer is None else record.layer._replace(data={})
    return record._replace(op=changed, layer=layer)


def attribute_value(spec: AttrSpec, value: Any) -> Any:
    """Return the value of an attribute in the form of its declaration."""
    match spec.kind:
        case "type":
            if isinstance(value, str) and value not in BY_NAME:
                raise RuntimeError(f"{spec.name} is {value!r}, expected an element type{near_match(value, BY_NAME)}")
            return element(value)
        case "shape":
            return as_dims(PartialShape(list(value)) if isinstance(value, list | tuple | np.ndarray) else value)
        case "enum":
            found = next((choice for choice in spec.choices if choice.lower() == str(value).lower()), None)
            if found is None:
                raise RuntimeError(f"{spec.name} is {value!r}, expected {listing(spec.choices)}")
            return found
        case "ints":
            return tuple(int(item) for item in value)
        case "floats":
            return tuple(float(item) for item in value)
        case "strings":
            return tuple(str(item) for item in value)
        case "int":
            return int(value)
        case "float":
            return float(value)
        case "bool":
            return bool(value)
        case "string":
            if not isinstance(value, str):
                raise TypeError(f"{spec.name} is {value!r}, expected a text")
    return value


def inferred(record: Record, inputs: Sequence[Fact]) -> tuple[Fact, ...]:
    """Infer the facts of the outputs of an operation; IRError where the inputs do not fit."""
    facts = _alone(record, inputs)[1]
    errors = [item for item in facts.diagnostics if item.severity is Severity.ERROR]
    if errors:
        raise IRError(errors)
    return tuple(facts[outlet] for outlet in facts.outlets(0)) or (Fact.unknown(),) * record.outputs


def _alone(record: Record, inputs: Sequence[Fact]) -> tuple[Graph, Facts]:
    """Return the graph of an operation between Parameters and a Result for each output, and its facts."""
    nodes = {0: record._replace(id=0)}
    given = {}
    for index, fact in enumerate(inputs, 1):
        nodes[index] = record_of(ParameterOp(element_type=fact.type, shape=fact.shape), f"input{index}")._replace(
            id=index
        )
        given[index] = fact
    parameters = list(given)
    sources: dict[int, tuple[Outlet | None, ...]] = dict.fromkeys(parameters, ())
    sources[0] = tuple(Outlet(id, 0) for id in parameters)
    results = [1 + len(inputs) + port for port in range(record.outputs)]
    for port, id in enumerate(results):
        nodes[id] = record_of(ResultOp(), f"result{port}")._replace(id=id)
        sources[id] = (Outlet(0, port),)
    records = [nodes[id]._replace(inputs=len(sources[id])) for id in (*parameters, 0, *results)]
    graph = Graph.of(records, sources, parameters, results, [])
    return graph, infer(graph, _NO_WEIGHTS, given)


def evaluated(node: Node, inputs: Sequence[Array]) -> list[Tensor]:
    """Compute the outputs of a node from values of its inputs."""
    from irrun.model import Loaded, build

    types = [source.fact.type for source in node.input_values()]
    graph, facts = _alone(node.record, [Fact(type, Shape(a.shape)) for type, a in zip(types, inputs, strict=True)])
    outputs = build(Loaded(Bound(graph, (), {}), facts, _NO_WEIGHTS))(list(inputs))
    return [Tensor.of_values(a, facts.results()[i].type) for i, a in enumerate(outputs.to_tuple())]


def constant_fact(value: Any, type: ElementType | None = None, shape: Sequence[int] | None = None) -> Fact:
    """Return the fact of a constant: an array, a Tensor, a list or a number, in its own type or the given one."""
    if isinstance(value, Tensor):
        element, array = value.element_type.element, value.values()
    else:
        array = np.asarray(value)
        element = element_of(array.dtype) if array.dtype != object else as_element("string")
    wanted = type if type is not None else element
    if wanted.kind == "string":
        array = Tensor(array).values() if array.dtype != object else array
    else:
        with np.errstate(all="ignore"):
            array = conform(array, wanted)
    if shape is not None:
        sizes = tuple(shape)
        array = np.broadcast_to(array, sizes) if array.size == 1 else array.reshape(sizes)
    array = np.array(array, order="C")
    array.flags.writeable = False
    return Fact.of(wanted, array)


def element(value: Any) -> ElementType:
    """Return the element type for an argument of a builder; TypeError where it is none."""
    return value.element if isinstance(value, Type) else as_element(value)
