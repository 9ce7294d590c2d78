"""Checks of calls that build graphs."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.openvino.comparing import Check

F = np.float32


def x(ov: Any, shape: Any = (2,), name: str = "x") -> Any:
    return ov.opset13.parameter(list(shape), F, name=name)


def run(ov: Any, build: Any, *arrays: Any, shape: Any = (2,)) -> Any:
    """Return the results of a model with one Parameter."""
    parameter = x(ov, shape)
    made = build(parameter)
    model = ov.Model(made if isinstance(made, list) else [made], [parameter], "m")
    results = ov.Core().compile_model(model, "CPU")(list(arrays) or [np.array([3, -4], F)])
    return [results[index] for index in range(len(results))]


BUILD: dict[str, Check] = {
    "node plus number": lambda ov: run(ov, lambda p: p + 1),
    "number plus node": lambda ov: run(ov, lambda p: 1 + p),
    "node minus float": lambda ov: run(ov, lambda p: p - 0.5),
    "number minus node": lambda ov: run(ov, lambda p: 1.0 - p),
    "node times array": lambda ov: run(ov, lambda p: p * np.array([2, 3], F)),
    "array times node": lambda ov: run(ov, lambda p: np.array([2, 3], F) * p),
    "node by number": lambda ov: run(ov, lambda p: p / 2),
    "number by node": lambda ov: run(ov, lambda p: 6.0 / p),
    "node times list": lambda ov: run(ov, lambda p: p * [2.0, 3.0]),
    "node to a power": lambda ov: run(ov, lambda p: p**2),
    "node modulo": lambda ov: run(ov, lambda p: p % 2),
    "node floor": lambda ov: run(ov, lambda p: p // 2),
    "negative node": lambda ov: run(ov, lambda p: -p),
    "absolute node": lambda ov: run(ov, lambda p: abs(p)),
    "node by matrix": lambda ov: run(ov, lambda p: p @ p),
    "node less": lambda ov: run(ov, lambda p: p < 1.0),
    "node greater": lambda ov: run(ov, lambda p: p > 1.0),
    "node at most": lambda ov: run(ov, lambda p: p <= 1.0),
    "node equals number": lambda ov: (x(ov) == 1.0) is not None,
    "node item": lambda ov: run(ov, lambda p: p[0]),
    "node call": lambda ov: run(ov, lambda p: p(1)),
    "output plus number": lambda ov: run(ov, lambda p: p.output(0) + 1),
    "nodes together": lambda ov: run(ov, lambda p: (p + p) * p - p),
    "attribute of output by node": lambda ov: [x(ov).get_index(), x(ov).index],
    "shape of node": lambda ov: [x(ov).shape, x(ov).get_partial_shape(), x(ov).get_shape()],
    "names of node": lambda ov: sorted(_with_names(x(ov)).get_names()),
    "any name of node": lambda ov: _with_names(x(ov)).get_any_name(),
    "unknown attribute of node": lambda ov: x(ov).nothing,
    "parameter of Type": lambda ov: ov.opset13.parameter([1, -1], ov.Type.i64).get_output_partial_shape(0),
    "parameter of text": lambda ov: ov.opset13.parameter([1, -1], "f32").get_element_type(),
    "parameter of PartialShape": lambda ov: ov.opset13.parameter(ov.PartialShape("1,?"), F).partial_shape,
    "parameter of default type": lambda ov: ov.opset13.parameter([2]).get_element_type(),
    "parameter op": lambda ov: ov.op.Parameter(ov.Type.f32, ov.Shape([2])).get_output_shape(0),
    "parameter op partial": lambda ov: ov.op.Parameter(ov.Type.f32, ov.PartialShape([-1])).get_output_partial_shape(0),
    "constant op of array": lambda ov: ov.op.Constant(np.array([1, 2], F)).data,
    "constant op shared": lambda ov: ov.op.Constant(np.array([1, 2], F), shared_memory=True).data,
    "constant op typed": lambda ov: ov.op.Constant(ov.Type.i32, ov.Shape([2]), [1, 2]).data,
    "constant op of tensor": lambda ov: ov.op.Constant(ov.Tensor(np.array([1, 2], F))).data,
    "constant of scalar": lambda ov: ov.opset13.constant(3).get_output_shape(0),
    "constant of type": lambda ov: ov.opset13.constant([1, 2], ov.Type.f16).data,
    "constant of dtype": lambda ov: ov.opset13.constant([1, 2], np.int8).get_element_type(),
    "constant of lists": lambda ov: ov.opset13.constant([[1.0], [2.0]]).get_output_shape(0),
    "constant of bool": lambda ov: ov.opset13.constant(True).get_element_type(),
    "constant text": lambda ov: ov.opset13.constant([1.5, 2, 1e10, 1 / 3, np.nan, -np.inf]).get_value_strings(),
    "constant text of bool": lambda ov: ov.opset13.constant([True, False]).get_value_strings(),
    "constant data type": lambda ov: ov.opset13.constant([1, 2]).get_data(dtype=F),
    "constant data is read only": lambda ov: ov.opset13.constant([1, 2]).data.flags.writeable,
    "constant vector": lambda ov: list(ov.opset13.constant([[1, 2], [3, 4]]).get_vector()),
    "constant tensor": lambda ov: (lambda node: node.get_tensor_view().data.copy())(ov.opset13.constant([1, 2])),
    "result of a node": lambda ov: ov.op.Result(x(ov)),
    "result op": lambda ov: ov.op.Result(x(ov).output(0)).get_type_name(),
    "builder of numbers": lambda ov: run(ov, lambda p: ov.opset13.add(p, 1.0)),
    "builder of output": lambda ov: run(ov, lambda p: ov.opset13.relu(p.output(0))),
    "builder by name": lambda ov: ov.opset13.relu(x(ov), name="mine").friendly_name,
    "builder of softmax": lambda ov: run(ov, lambda p: ov.opset13.softmax(p, 0)),
    "builder of concat": lambda ov: run(ov, lambda p: ov.opset13.concat([p, p], 0)),
    "builder of split": lambda ov: run(ov, lambda p: ov.opset13.split(p, 0, 2).outputs()),
    "builder of reshape": lambda ov: run(ov, lambda p: ov.opset13.reshape(p, [1, -1], False)),
    "builder of matmul": lambda ov: run(
        ov, lambda p: ov.opset13.matmul(p, np.ones((2, 3), F), False, False), np.ones((1, 2), F), shape=(1, 2)
    ),
    "builder of transpose": lambda ov: run(
        ov, lambda p: ov.opset13.transpose(p, [1, 0]), np.arange(6, dtype=F).reshape(2, 3), shape=(2, 3)
    ),
    "builder of topk": lambda ov: run(ov, lambda p: ov.opset13.topk(p, 1, 0, "max", "value").outputs()),
    "builder of clamp": lambda ov: run(ov, lambda p: ov.opset13.clamp(p, -1.0, 1.0)),
    "builder of convert": lambda ov: run(ov, lambda p: ov.opset13.convert(p, "i32")),
    "builder of convert to type": lambda ov: run(ov, lambda p: ov.opset13.convert(p, ov.Type.i64)),
    "builder of gather": lambda ov: run(ov, lambda p: ov.opset13.gather(p, [1, 0], 0)),
    "builder of wrong type": lambda ov: ov.opset13.relu("text"),
    "builder of nothing": lambda ov: ov.opset13.relu(),
    "builder of misfit": lambda ov: ov.opset13.add(x(ov, (2,)), x(ov, (3,), "y")),
    "builder of bad mode": lambda ov: ov.opset13.topk(x(ov), 1, 0, "largest", "value"),
    "builder of unknown attribute": lambda ov: ov.opset13.clamp(x(ov), low=1.0, high=2.0),
    "model of node": lambda ov: ov.Model(ov.opset13.relu(p := x(ov)), [p], "m").get_friendly_name(),
    "model of outputs": lambda ov: len(ov.Model([ov.opset13.relu(p := x(ov)).output(0)], [p]).outputs),
    "model of results": lambda ov: len(
        ov.Model([ov.op.Result(ov.opset13.relu(p := x(ov)).output(0))], [p], "m").results
    ),
    "model by keyword": lambda ov: len(ov.Model(results=[ov.opset13.relu(p := x(ov))], parameters=[p]).inputs),
    "model without parameter": lambda ov: ov.Model([ov.opset13.relu(x(ov))], [], "m"),
    "model of nothing": lambda ov: ov.Model(),
    "model of text": lambda ov: ov.Model("text", [], "m"),
    "model unused parameter": lambda ov: len(ov.Model([ov.opset13.relu(p := x(ov))], [p, x(ov, name="y")], "m").inputs),
    "model of constant": lambda ov: ov.Core().compile_model(ov.Model([ov.opset13.constant([1.0])], [], "m"), "CPU")()[
        0
    ],
}


def _with_names(node: Any) -> Any:
    node.output(0).set_names({"a", "b"})
    return node


CHECKS: dict[str, Check] = {f"graph, {name}": check for name, check in BUILD.items()}
