"""Records of operations that are in no file, and their attributes."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from irrun.diagnostics import OpError, listing, near_match
from irrun.document.records import LayerElement
from irrun.graph import Body
from irrun.graph import Node as Record
from irrun.openvino.values.shapes import PartialShape, as_dims, of_dims
from irrun.openvino.values.tensor import Tensor
from irrun.openvino.values.types import Type, as_element, element_of
from irrun.ops import Op
from irrun.ops._declared.infrastructure.const import Const, HeldConst
from irrun.ops.attributes import AttrSpec
from irrun.ops.calling import conform
from irrun.tensor import Array, ElementType, Fact, Shape
from irrun.tensor.element_type import BY_NAME
from irrun.tensor.packing import unpack
from irrun.tensor.storing import pack

CLASS_NAMES: Final = {"Const": "Constant", "PReLU": "PRelu", "ReLU": "Relu", "SoftMax": "Softmax"}
"""The names of OpenVINO's classes where a file spells the type in another way."""

_PLACES: Final = frozenset({"offset", "size"})
"""Attributes that say where a value is in the file of weights."""

_numbers = itertools.count()


def fresh_name(type: str) -> str:
    """Return a name that no node had before."""
    return f"{CLASS_NAMES.get(type, type)}_{next(_numbers)}"


def record_of(op: Op, name: str, outputs: int = 1, names: Sequence[Sequence[str]] = ()) -> Record:
    """Return the record of an operation that no file has."""
    version = f"opset{op.opset}" if isinstance(op.opset, int) else op.opset
    layer = LayerElement(-1, "", name, op.type, version, None, {}, None, (), (), ())
    return Record(-1, name, op.type, version, op, 0, outputs, tuple(map(tuple, names)) or ((),) * outputs, layer, {})


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
    layer = record.layer
    if layer is not None and (layer.data or layer.element >= 0):
        layer = layer._replace(data={**layer.data, name: spec.text(getattr(changed, spec.field))})
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
            return int(value[0] if isinstance(value, list | tuple) and len(value) == 1 else value)
        case "float":
            return float(value)
        case "bool":
            return bool(value)
        case "string":
            if not isinstance(value, str):
                raise TypeError(f"{spec.name} is {value!r}, expected a string")
    return value


def constant_fact(
    value: Any, type: ElementType | None = None, shape: Sequence[int] | None = None, *, shared: bool = False
) -> Fact:
    """Return the fact of a constant: an array, a Tensor, a list or a number, in its own type or the given one.

    The values are those of a copy, unless they are shared and need no conversion. Integers for nf4 are codes.
    """
    if isinstance(value, Tensor):
        element, array = value.element_type.element, value.values()
    else:
        array = np.asarray(value)
        element = element_of(array.dtype) if array.dtype != object else as_element("string")
    wanted = type if type is not None else element
    if wanted.name == "nf4" and array.dtype.kind in "iu":
        array = unpack(pack(array.astype(np.uint8), "u4"), "nf4", array.size).reshape(array.shape)
    if wanted.kind == "string":
        array = Tensor(array).values() if array.dtype != object else array
    else:
        with np.errstate(all="ignore"):
            array = conform(array, wanted)
    if shape is not None:
        sizes = tuple(shape)
        array = np.broadcast_to(array.reshape(()), sizes) if array.size == 1 else array.reshape(sizes)
    array = array.view() if shared and array.flags.c_contiguous else np.array(array, order="C")
    array.flags.writeable = False
    return Fact.of(wanted, array)


def element(value: Any) -> ElementType:
    """Return the element type for an argument of a builder; TypeError where it is none.

    ``int`` and ``float`` have 32 bits, as in OpenVINO.
    """
    if isinstance(value, Type):
        return value.element
    return as_element({int: np.int32, float: np.float32}.get(value, value))


def held(node: Record, weights: Callable[[int, int], Array | None], fact: Fact | None = None) -> Record:
    """Return a node, and the nodes of its bodies, with the values of constants in memory."""
    if isinstance(node.op, Const) and not isinstance(node.op, HeldConst):
        known = fact if fact is not None else node.op.infer(weights=weights)
        return node._replace(op=HeldConst.of(known)) if known.is_constant else node
    if not node.bodies:
        return node
    return node._replace(
        bodies={
            tag: Body(body.graph.with_nodes([held(inner, weights) for inner in body.graph.ordered()]), body.ports)
            for tag, body in node.bodies.items()
        }
    )


def get_attributes(record: Record) -> dict[str, Any]:
    """Return the attributes of an operation by name; those of a layer that is not understood as they are written."""
    op = record.op
    if op is None or not op.spec.attributes:
        return dict(record.layer.data) if record.layer is not None and op is None else {}
    hidden = _PLACES if record.type == "Const" else ()
    return {
        item.name: _value(getattr(op, item.field))
        for item in op.spec.attributes
        if item.name not in hidden and "." not in item.name
    }


def _value(value: Any) -> Any:
    if isinstance(value, ElementType):
        return value.name
    if isinstance(value, Shape):
        return of_dims(value)
    return list(value) if isinstance(value, tuple) else value
