"""Variables of a model, and the operations that read and write them, as OpenVINO's ``Variable`` and ``op.assign``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from irrun.openvino.nodes.node import Node
from irrun.openvino.nodes.op import Constant
from irrun.openvino.nodes.ports import Output, as_output
from irrun.openvino.nodes.records import element, fresh_name, record_of
from irrun.openvino.nodes.workspace import HANDLES
from irrun.openvino.values.keywords import also_named
from irrun.openvino.values.shapes import PartialShape, as_dims
from irrun.openvino.values.types import Type, of_element
from irrun.ops.registry import resolve
from irrun.tensor import Fact


@dataclass(eq=False, repr=False)
class VariableInfo:
    """The type, shape and name of a variable."""

    data_shape: PartialShape = field(default_factory=PartialShape.dynamic)
    data_type: Type = Type.dynamic
    variable_id: str = ""

    def __repr__(self) -> str:
        return "<VariableInfo>"


class Variable:
    """A variable that a model reads and writes."""

    info: VariableInfo

    def __init__(self, info: VariableInfo) -> None:
        self.info = info

    def get_info(self) -> VariableInfo:
        """Return the type, shape and name."""
        return self.info

    def get_id(self) -> str:
        """Return the name."""
        return self.info.variable_id

    def update(self, variable_info: VariableInfo) -> None:
        """Set the type, shape and name."""
        self.info = variable_info

    def __repr__(self) -> str:
        return "<Variable>"


class _OfVariable(Node):
    """A node that reads or writes a variable."""

    def get_variable_id(self) -> str:
        """Return the name of the variable."""
        return str(self.get_attributes()["variable_id"])


class ReadValue(_OfVariable):
    """The value of a variable: ``read_value(initial, variable)``, or ``read_value(variable)`` with zeros at first."""

    def __init__(self, new_value: Any, variable: Variable | None = None) -> None:
        if variable is None:
            variable, new_value = new_value, None
        if not isinstance(variable, Variable):
            raise TypeError(f"a Variable is expected, got {variable!r}")
        info = variable.info
        attributes = {"variable_id": info.variable_id, "variable_type": info.data_type.element}
        attributes |= {"variable_shape": as_dims(info.data_shape)}
        sources = [] if new_value is None else [as_output(new_value)]
        self._become("ReadValue", "opset6", sources, attributes, None)


class Assign(_OfVariable):
    """Writes a variable, which is given as such or by its name."""

    @also_named("variable", "variable_id")
    def __init__(self, new_value: Any = None, variable: Variable | str = "", name: str = "") -> None:
        if new_value is None:
            declared: Any = resolve("Assign", "opset6")
            record = record_of(declared(variable_id=_text(variable)), name or fresh_name("Assign"))
            self._begin(record, (), (Fact.unknown(),))
            return
        id = variable.info.variable_id if isinstance(variable, Variable) else _text(variable)
        value = new_value if not isinstance(new_value, np.ndarray | int | float | list) else Constant(new_value)
        self._become("Assign", "opset6", [as_output(value)], {"variable_id": id}, name or None)


def read_value(*arguments: Any, **named: Any) -> ReadValue:
    """Return the value of a variable, or ``init_value`` before it is first assigned; zeros where that is left out.

    ``read_value(init_value, variable_id, variable_type, variable_shape)`` names the variable, and
    ``read_value(init_value, ov_variable)`` takes a Variable; both may omit ``init_value`` and have a ``name``.
    """
    if arguments and isinstance(arguments[0], str | Variable):
        arguments = (None, *arguments)
    is_given = "ov_variable" in named or (len(arguments) > 1 and isinstance(arguments[1], Variable))
    return (_read_variable if is_given else _read_named)(*arguments, **named)


def _read_named(
    init_value: Any = None,
    variable_id: Any = None,
    variable_type: Any = None,
    variable_shape: Any = None,
    name: str | None = None,
) -> ReadValue:
    dims = PartialShape.dynamic() if variable_shape is None else PartialShape(variable_shape)
    type = Type.dynamic if variable_type is None else of_element(element(variable_type))
    return _read_variable(init_value, Variable(VariableInfo(dims, type, _text(variable_id))), name)


def _read_variable(init_value: Any = None, ov_variable: Any = None, name: str | None = None) -> ReadValue:
    if init_value is None:
        made = ReadValue(ov_variable)
    else:
        made = ReadValue(init_value if isinstance(init_value, Node | Output) else Constant(init_value), ov_variable)
    if name is not None:
        made.friendly_name = name
    return made


def _text(id: Any) -> str:
    if not isinstance(id, str):
        raise TypeError(f"variable_id is {id!r}, expected a string")
    return id


HANDLES.update({"ReadValue": ReadValue, "Assign": Assign})
