"""Element types, and constants of numbers, as OpenVINO's ``utils.types``."""

from __future__ import annotations

import logging
from typing import Any, Final

import numpy as np

from irrun.openvino.exceptions import OVTypeError
from irrun.openvino.nodes.node import Node
from irrun.openvino.nodes.op import Constant
from irrun.openvino.nodes.ports import Output
from irrun.openvino.nodes.records import constant_fact, element
from irrun.openvino.values.types import Type, element_of, of_element
from irrun.tensor import Array

_log: Final = logging.getLogger(__name__)
_DEFAULTS: Final = {int: Type.i32, float: Type.f32}
"""The types of Python's numbers, whose size Python does not tell."""


def get_element_type(data_type: Any) -> Type:
    """Return the type of a Python or NumPy type; OVTypeError where there is none."""
    if data_type in _DEFAULTS:
        name = data_type.__name__
        _log.warning("Converting %s type of undefined bitwidth to 32-bit %s.", name, _DEFAULTS[data_type].type_name)
        return _DEFAULTS[data_type]
    try:
        return of_element(element_of(data_type))
    except (RuntimeError, TypeError):
        raise OVTypeError(f"{data_type!r} is not an element type") from None


def get_element_type_str(data_type: Any) -> str:
    """Return the name of the type of a Python or NumPy type; OVTypeError where there is none."""
    return get_element_type(data_type).get_type_name()


def get_dtype(openvino_type: Type) -> np.dtype[Any]:
    """Return the NumPy type of the elements of a type, of their bits for bf16; OVTypeError where there is none."""
    if openvino_type is Type.bf16:
        return np.dtype(np.uint16)
    try:
        found = openvino_type.element.external
        known = element_of(found) is openvino_type.element
    except (RuntimeError, TypeError):
        known = False
    if not known:
        raise OVTypeError(f"NumPy has no type for {openvino_type!r}")
    return np.dtype(np.str_) if openvino_type is Type.string else found


def get_numpy_ctype(openvino_type: Type) -> type:
    """Return the class of the elements of a type in NumPy; OVTypeError where there is none."""
    return bool if openvino_type is Type.boolean else get_dtype(openvino_type).type


def get_ndarray(data: Any) -> Array:
    """Return numbers as an array."""
    return np.asarray(data)


def get_shape(data: Any) -> list[int]:
    """Return the sizes of an array or a list; none for a number."""
    return list(data.shape) if isinstance(data, np.ndarray) else [len(data)] if isinstance(data, list) else []


def make_constant_node(value: Any, dtype: Any = None, *, name: str | None = None) -> Constant:
    """Return a constant of numbers, in their own type or the given one."""
    type = None if dtype is None else element(get_element_type(dtype) if not isinstance(dtype, Type) else dtype)
    made = Constant.of_fact(constant_fact(np.asarray(value), type))
    if name:
        made.friendly_name = f"{name}/{made.friendly_name}"
    return made


def as_node(input_value: Any, name: str | None = None) -> Node | Output:
    """Return a node or an output as it is, and numbers as a constant."""
    return input_value if isinstance(input_value, Node | Output) else make_constant_node(input_value, name=name)


def as_nodes(*input_values: Any, name: str | None = None) -> list[Node | Output]:
    """Return nodes and outputs as they are, and numbers as constants."""
    return [as_node(value, name=name) for value in input_values]
