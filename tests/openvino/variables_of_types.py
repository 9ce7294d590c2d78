"""Checks of variables that are set to other types, and of tensors by the ports of a model."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.openvino.comparing import Check
from tests.openvino.models import small
from tests.openvino.running import X


def request_of(ov: Any, model: Any) -> Any:
    return ov.compile_model(model, "CPU").create_infer_request()


def _converted_state(ov: Any, dtype: Any, value: Any) -> Any:
    """Set a variable of a type to an array of another one, and return what it holds then."""
    ops = ov.opset13
    x = ops.parameter([1, 4], dtype, name="x")
    total = ops.add(ops.read_value("v", dtype, [1, 4]), x)
    request = request_of(ov, ov.Model([ops.result(total)], [ops.assign(total, "v")], [x], "m"))
    state = request.query_state()[0]
    state.state = ov.Tensor(value)
    return [state.state.data, request.infer([np.zeros((1, 4), dtype)])[0]]


def _port_of_model(ov: Any, port: Any) -> Any:
    model = small(ov)
    request = request_of(ov, model)
    request.infer([X])
    return request.get_tensor(port(model)).data


def _tensor_of_model(ov: Any) -> Any:
    model = small(ov)
    request = request_of(ov, model)
    request.set_tensor(model.input(0), ov.Tensor(X * 2))
    return request.infer()[0]


def _read(ov: Any, *arguments: Any, **named: Any) -> Any:
    node = ov.opset13.read_value(*arguments, **named)
    return [node.get_variable_id(), node.get_input_size(), node.get_output_partial_shape(0)]


def _variable(ov: Any) -> Any:
    info = ov.op.util.VariableInfo()
    info.data_shape, info.data_type, info.variable_id = ov.PartialShape([1, -1]), ov.Type.f32, "v"
    return ov.op.util.Variable(info)


def _named(ov: Any) -> Any:
    return ov.opset13.read_value("v", ov.Type.f32, [1], name="named").friendly_name


ZEROS = np.zeros((1, 2), np.float32)
FRACTIONS = np.float32([[1.5, 2.5, -1.5, 300.7]])
CHECKS: dict[str, Check] = {
    "variable of f32 set to i32": lambda ov: _converted_state(ov, np.float32, np.int32([[1, -2, 3, 2**24]])),
    "variable of f32 set to f16": lambda ov: _converted_state(ov, np.float32, np.float16([[1, 0.5, 3, 4]])),
    "variable of f32 set to booleans": lambda ov: _converted_state(ov, np.float32, np.array([[True, False] * 2])),
    "variable of i32 set to f32": lambda ov: _converted_state(ov, np.int32, FRACTIONS),
    "variable of i64 set to f32": lambda ov: _converted_state(ov, np.int64, FRACTIONS),
    "variable of i64 set to i32": lambda ov: _converted_state(ov, np.int64, np.int32([[1, -2, 3, 2**31 - 1]])),
    "variable of u8 set to f32": lambda ov: _converted_state(ov, np.uint8, FRACTIONS),
    "variable of u8 set to i32": lambda ov: _converted_state(ov, np.uint8, np.int32([[1, -2, 3, 2**31 - 1]])),
    "variable of i8 set to u8": lambda ov: _converted_state(ov, np.int8, np.uint8([[1, 200, 3, 4]])),
    "variable of f16 set to f32": lambda ov: _converted_state(ov, np.float16, FRACTIONS),
    "variable of f32 set to f64": lambda ov: _converted_state(ov, np.float32, np.float64([[1, 2, 3, 4]])),
    "tensor by the input of a model": lambda ov: _port_of_model(ov, lambda model: model.input(0)),
    "tensor by the output of a model": lambda ov: _port_of_model(ov, lambda model: model.output(0)),
    "tensor by the output of a Parameter": lambda ov: _port_of_model(ov, lambda m: m.get_parameters()[0].output(0)),
    "tensor by a port within a model": lambda ov: _port_of_model(ov, lambda m: m.output(0).node.input_value(0)),
    "tensor by an input of a node": lambda ov: _port_of_model(ov, lambda m: m.output(0).node.input(0)),
    "tensor by a port of an equal model": lambda ov: _port_of_model(ov, lambda _: small(ov).output(0)),
    "tensor set by a port of a model": _tensor_of_model,
    "inputs by a port of a model": lambda ov: (lambda m: request_of(ov, m).infer({m.input(0): X})[0])(small(ov)),
    "read_value by name": lambda ov: _read(ov, "v", ov.Type.f32, [1]),
    "read_value by name and NumPy type": lambda ov: _read(ov, "v", np.dtype("int64"), ov.PartialShape([1, -1])),
    "read_value by name alone": lambda ov: _read(ov, "v"),
    "read_value of a shape": lambda ov: _read(ov, "v", variable_shape=[2]),
    "read_value of an array": lambda ov: _read(ov, ZEROS, "v"),
    "read_value of a number": lambda ov: _read(ov, 1.0, "v"),
    "read_value of a variable": lambda ov: _read(ov, _variable(ov)),
    "read_value of an array and a variable": lambda ov: _read(ov, ZEROS, _variable(ov)),
    "read_value of keywords": lambda ov: _read(ov, init_value=ov.opset13.constant(ZEROS), ov_variable=_variable(ov)),
    "read_value of another shape": lambda ov: _read(ov, ZEROS, "v", ov.Type.f32, [3]),
    "read_value of nothing": lambda ov: _read(ov),
    "read_value with a name": _named,
    "assign to a variable": lambda ov: ov.opset13.assign(ov.opset13.constant(ZEROS), _variable(ov)).get_variable_id(),
    "assign to a number": lambda ov: ov.opset13.assign(ov.opset13.constant(ZEROS), 5),
    "assign is a class": lambda ov: ov.opset13.assign is ov.op.assign,
}
