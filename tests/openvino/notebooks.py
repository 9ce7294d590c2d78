"""Checks of steps of notebooks: strings, packed types, batches, streams, stateful caches, and helpers of notebooks."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from tests.openvino.comparing import Check
from tests.openvino.editing import built
from tests.openvino.graphs import F, x
from tests.openvino.models import counter, pair, small
from tests.openvino.running import A, B, X, compiled, two

F32 = {"INFERENCE_PRECISION_HINT": "f32"}


def typed(name: str, array: Any) -> Check:
    """Return a check of a model that adds an input of a type to itself."""

    def check(ov: Any) -> Any:
        parameter = ov.opset13.parameter(list(array.shape), getattr(ov.Type, name), name="x")
        model = ov.Model([ov.opset13.add(parameter, parameter)], [parameter], "m")
        net = ov.compile_model(model, "CPU", F32)
        result = net(array)[0]
        return [str(result.dtype), result, net.input().element_type, net.output().element_type]

    return check


def _strings(ov: Any) -> Any:
    parameter = ov.opset15.parameter([-1], ov.Type.string, name="x")
    unpacked = ov.opset15.string_tensor_unpack(parameter)
    model = ov.Model([ov.opset15.string_tensor_pack(*unpacked.outputs())], [parameter], "m")
    net = ov.compile_model(model, "CPU")
    return [net(["ab", "", "ü"])[0], net({0: np.array(["x"])})[0], net(ov.Tensor(["y", "z"]))[0]]


def _batches(ov: Any) -> Any:
    model = built(ov)
    model.reshape([-1, 2])
    net = ov.compile_model(model, "CPU")
    return [net(np.ones((count, 2), F))[0].shape for count in (1, 3, 2, 3)]


def _normalized(ov: Any) -> Any:
    net = compiled(ov)
    image = np.arange(3, dtype=np.uint8)
    return net([np.expand_dims(image, 0).astype(np.float32) / 255.0])[net.output(0)]


def _softmax(ov: Any) -> Any:
    scores = compiled(ov)(X)[0]
    shifted = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return int(np.argmax(shifted / shifted.sum()))


def _layers(ov: Any) -> Any:
    found: dict[str, int] = {}
    for node in small(ov).get_ops():
        found[node.get_type_name()] = found.get(node.get_type_name(), 0) + 1
    return found


def _first_and_last(ov: Any) -> Any:
    model = pair(ov)
    return [
        {port.get_any_name(): list(port.get_partial_shape().get_min_shape()) for port in model.inputs},
        next(iter(model.outputs)).get_any_name(),
        [port.get_index() for port in model.outputs],
        [port.get_node().get_name() == port.node.get_name() for port in model.inputs],
    ]


def _dynamic_names(ov: Any) -> Any:
    model = small(ov, "-1,3")
    shapes = {}
    for port in model.inputs:
        shapes[port] = port.partial_shape
        shapes[port][0] = 2
    model.reshape(shapes)
    return [model.input().shape, model.is_dynamic()]


def _converted(ov: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        first, second = Path(folder) / "a.xml", Path(folder) / "b.xml"
        ov.save_model(built(ov), first, compress_to_fp16=False)
        model = ov.Core().read_model(first)
        model.reshape([5, 2])
        ov.save_model(model, second)
        again = ov.Core().read_model(second)
        return [again.input().shape, sorted(again.input().names), sorted(again.output().names), again.friendly_name]


def _in_a_loop(ov: Any) -> Any:
    request, found = ov.compile_model(counter(ov), "CPU", F32).create_infer_request(), []
    for step in range(4):
        request.set_tensor("x", ov.Tensor(np.full((1, 2), step, F)))
        request.start_async()
        request.wait()
        found.append(request.get_output_tensor(0).data.copy())
    request.reset_state()
    request.infer()
    return [*found, request.get_output_tensor(0).data]


def _last_row(ov: Any) -> Any:
    ops, parameter = ov.opset13, x(ov, (1, 4, 2))
    row = ops.strided_slice(parameter, [0, -1, 0], [0, 0, 0], [1, 1, 1], [1, 0, 1], [1, 1, 1])
    model = ov.Model([ops.squeeze(row, np.array([1], np.int64))], [parameter], "m")
    return ov.compile_model(model, "CPU")(np.arange(8, dtype=F).reshape(1, 4, 2))[0]


def _embedded(ov: Any) -> Any:
    ops = ov.opset13
    ids = ops.parameter([-1, -1], ov.Type.i64, name="ids")
    table = ops.constant(np.arange(12, dtype=F).reshape(6, 2))
    model = ov.Model([ops.gather(table, ids, ops.constant(0))], [ids], "m")
    return ov.compile_model(model, "CPU", F32)(np.array([[0, 5], [3, 1]]))[0]


MORE: dict[str, Check] = {
    "f16 in and out": typed("f16", np.array([1, 2.5], np.float16)),
    "f64 in and out": typed("f64", np.array([1, 2.5], np.float64)),
    "i32 in and out": typed("i32", np.array([1, -2], np.int32)),
    "i64 in and out": typed("i64", np.array([1, -2], np.int64)),
    "u8 in and out": typed("u8", np.array([1, 100], np.uint8)),
    "i8 in and out": typed("i8", np.array([1, -20], np.int8)),
    "strings in and out": _strings,
    "several batches": _batches,
    "normalized image": _normalized,
    "softmax of results": _softmax,
    "types of layers": _layers,
    "ends of a model": _first_and_last,
    "reshaped by changed shapes": _dynamic_names,
    "saved after reshape": _converted,
    "stateful loop": _in_a_loop,
    "last row": _last_row,
    "embedding": _embedded,
    "chained call": lambda ov: ov.Core().compile_model(small(ov), "CPU").create_infer_request().infer({0: X})[0],
    "results by output": lambda ov: (lambda net: net.create_infer_request().infer([A, B])[net.output("sum")])(two(ov)),
    "next of results": lambda ov: next(iter(two(ov)({"a": A, "b": B}).values())),
    "port as key of dict": lambda ov: (lambda net: {net.output(0): 1}[net.output(0)])(two(ov)),
    "port of other call": lambda ov: (lambda net: net.output(0) == two(ov).output(0))(two(ov)),
    "batch without layout": lambda ov: ov.get_batch(small(ov)),
    "set batch without layout": lambda ov: ov.set_batch(small(ov), 2),
    "set batch of zero": lambda ov: ov.set_batch(small(ov), 0),
    "version text": lambda ov: isinstance(ov.get_version(), str),
    "no such name": lambda ov: ov.no_such_name,
    "core repr": lambda ov: isinstance(repr(ov.Core()), str),
    "two cores": lambda ov: [core.available_devices[0] for core in (ov.Core(), ov.Core())],
    "shape of scalar output": lambda ov: list(ov.opset13.reduce_sum(x(ov), [0], False).get_output_shape(0)),
    "type in an if": lambda ov: [ov.opset13.relu(x(ov)).get_element_type() in (ov.Type.f32, ov.Type.f16)],
    "dtype of port": lambda ov: np.zeros(2, compiled(ov).input().element_type.to_dtype()).dtype,
    "zeros of port shape": lambda ov: np.zeros(compiled(ov).input().shape).shape,
    "zeros of partial shape": lambda ov: (
        np.zeros([dim.get_min_length() for dim in small(ov).input().partial_shape]).shape
    ),
    "names as list": lambda ov: list(small(ov).input().names),
    "sorted inputs": lambda ov: sorted(port.any_name for port in pair(ov).inputs),
    "empty outputs": lambda ov: ov.Model([], [], "m"),
    "node in set": lambda ov: len({node.get_friendly_name() for node in small(ov).get_ops()}),
    "infer with keyword": lambda ov: compiled(ov).create_infer_request().infer(inputs={"x": X})[0],
    "call with keyword": lambda ov: compiled(ov)(inputs=[X])[0],
    "compile by module keyword": lambda ov: ov.compile_model(model=small(ov), device_name="CPU")(X)[0],
}

CHECKS: dict[str, Check] = {f"notebook, {name}": check for name, check in MORE.items()}
