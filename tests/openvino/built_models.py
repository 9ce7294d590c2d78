"""Checks of models that are built: running, saving and editing them."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from tests.openvino.building import FILTERS, X
from tests.openvino.comparing import Check


def _model(ov: Any) -> Any:
    ops = ov.opset13
    x = ops.parameter(ov.PartialShape("?,3"), np.float32, name="x")
    x.output(0).set_names({"x"})
    y = ops.relu(ops.add(x, ops.constant(np.array([1, 2, 3], np.float32), name="c"), name="sum"), name="y")
    y.output(0).set_names({"y"})
    return ov.Model([ops.result(y, name="out")], [x], "built")


def _saved(ov: Any, save: str) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "saved.xml"
        if save == "serialize":
            ov.serialize(_model(ov), path, path.with_suffix(".bin"))
        elif save == "serialize text":
            ov.serialize(_model(ov), str(path))
        elif save == "halves":
            ov.save_model(_model(ov), path, compress_to_fp16=True)
        else:
            ov.save_model(_model(ov), str(path), compress_to_fp16=False)
        model = ov.Core().read_model(path)
        names = [sorted(port.names) for port in (*model.inputs, *model.outputs)]
        ops = sorted(node.friendly_name for node in model.get_ops())
        result = ov.compile_model(model, "CPU")(X)[0]
        return [model.friendly_name, names, ops, model.input().partial_shape, result]


def _with_variable(ov: Any) -> Any:
    ops = ov.opset13
    x = ops.parameter([1, 2], np.float32, name="x")
    read = ops.read_value(ops.constant(np.zeros((1, 2), np.float32)), "total", np.float32, [1, 2])
    total = ops.add(read, x)
    model = ov.Model([ops.result(total)], [ops.assign(total, "total")], [x], "stateful")
    request = ov.Core().compile_model(model, "CPU").create_infer_request()
    first = request.infer([np.ones((1, 2), np.float32)])[0].copy()
    return [first, request.infer([np.ones((1, 2), np.float32)])[0], [item.name for item in request.query_state()]]


def _shared_nodes(ov: Any) -> Any:
    model = _model(ov)
    inner = model.get_results()[0].input_value(0).get_node().input_value(0)
    other = ov.Model([inner], model.get_parameters(), "other")
    return [len(other.get_ops()), ov.compile_model(other, "CPU")(X)[0]]


def _appended(ov: Any) -> Any:
    model = _model(ov)
    scores = ov.opset13.softmax(model.output(0).get_node().input_value(0), 1)
    return ov.compile_model(ov.Model([scores], model.get_parameters(), "more"), "CPU")(X)[0]


MODELS: dict[str, Check] = {
    "built model": lambda ov: [
        _model(ov).friendly_name,
        _model(ov).input().any_name,
        _model(ov).output().any_name,
        _model(ov).output().partial_shape,
    ],
    "built nodes": lambda ov: [node.get_friendly_name() for node in _model(ov).get_ordered_ops()],
    "built runs": lambda ov: ov.compile_model(_model(ov), "CPU")(X)[0],
    "built reshaped": lambda ov: _reshaped(ov),
    "serialize": lambda ov: _saved(ov, "serialize"),
    "serialize by text": lambda ov: _saved(ov, "serialize text"),
    "save model": lambda ov: _saved(ov, "save"),
    "save model in halves": lambda ov: _saved(ov, "halves")[-1],
    "save no model": lambda ov: ov.save_model(3, "x.xml"),
    "variables built": _with_variable,
    "nodes of another model": _shared_nodes,
    "appended": _appended,
    "model without parameter": lambda ov: ov.Model([ov.opset13.relu(ov.opset13.parameter([2]))], [], "none"),
    "model of one result": lambda ov: ov.Model(
        ov.opset13.result(ov.opset13.constant(np.ones(2))), [], "one"
    ).get_friendly_name(),
    "op classes": lambda ov: [
        type(ov.op.Parameter(ov.Type.f32, ov.Shape([2]))).__name__,
        type(ov.op.Constant(ov.Type.f32, ov.Shape([2]), [1, 2])).__name__,
        type(ov.op.Result(ov.opset13.parameter([2]).output(0))).__name__,
    ],
    "constant of type": lambda ov: ov.op.Constant(ov.Type.f32, ov.Shape([2]), [1, 2]).data,
    "constant of array": lambda ov: [
        ov.op.Constant(np.array([1, 2], np.int16)).data,
        ov.op.Constant(np.array([1, 2], np.int16)).get_element_type(),
    ],
    "constant of tensor": lambda ov: ov.op.Constant(ov.Tensor(np.array([1.5]))).data,
    "constant value": lambda ov: [
        ov.opset13.constant([1, 2]).get_element_type(),
        ov.opset13.constant(1.5).get_element_type(),
        ov.opset13.constant(3).get_element_type(),
        ov.opset13.constant([1.5], np.float16).get_element_type(),
    ],
    "constant dtype": lambda ov: ov.opset13.constant([1, 2], ov.Type.f32).data,
    "parameter of type": lambda ov: [
        ov.opset13.parameter([1, -1], ov.Type.i8).get_element_type(),
        ov.opset13.parameter([1, -1]).get_partial_shape(),
        ov.opset13.parameter("1,?").partial_shape,
    ],
    "parameter name": lambda ov: ov.opset13.parameter([1], name="mine").friendly_name,
    "default names": lambda ov: ov.opset13.relu(ov.opset13.parameter([1])).get_type_name(),
    "node attributes of softmax": lambda ov: ov.opset8.softmax(ov.opset8.parameter([1, 2]), 1).get_attributes(),
    "node attributes of concat": lambda ov: ov.opset8.concat([ov.opset8.parameter([1, 2])], 1).get_attributes(),
    "node attributes of clamp": lambda ov: ov.opset8.clamp(ov.opset8.parameter([1, 2]), -1, 2).get_attributes(),
    "node attributes of convolution": lambda ov: ov.opset8.convolution(
        ov.opset8.parameter([1, 2, 5, 5]), FILTERS, [1, 1], [0, 0], [0, 0], [1, 1]
    ).get_attributes(),
    "replaced parameter": lambda ov: _parameter_replaced(ov),
}


def _reshaped(ov: Any) -> Any:
    model = _model(ov)
    model.reshape([2, 3])
    return [model.output().shape, ov.compile_model(model, "CPU")(X)[0]]


def _parameter_replaced(ov: Any) -> Any:
    model = _model(ov)
    other = ov.opset13.parameter([2, 3], np.float32, name="other")
    model.replace_parameter(0, other)
    model.validate_nodes_and_infer_types()
    return [model.get_parameters()[0].friendly_name, ov.compile_model(model, "CPU")(X)[0]]


CHECKS = {**MODELS}
