"""Checks of the forms that arguments may have, and of the names and the order of what is built."""

from __future__ import annotations

from importlib import import_module
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from tests.openvino.comparing import Check

F = np.float32


def _built(ov: Any) -> Any:
    """Return a model of two Parameters and three Results, one of them with a name of its own."""
    o = ov.opset13
    a, b = o.parameter([2], F, name="a"), o.parameter([2], F, name="b")
    total = o.add(a, b, name="total")
    total.output(0).set_names({"sum"})
    results = [
        o.result(o.relu(b, name="relu"), name="first"),
        o.result(total, name="second"),
        o.result(a, name="third"),
    ]
    return ov.Model(results, [a, b], "built")


def _names(model: Any) -> list[list[str]]:
    return [sorted(port.names) for port in (*model.inputs, *model.outputs)]


def _read_back(ov: Any) -> Any:
    with TemporaryDirectory() as folder:
        ov.serialize(_built(ov), f"{folder}/model.xml")
        return ov.Core().read_model(f"{folder}/model.xml")


def _shared(ov: Any, shared: bool) -> list[Any]:
    array = np.ones(3, F)
    node = ov.opset13.constant(array, shared_memory=shared)
    array += 1
    return [node.data, bool(np.shares_memory(array, node.data))]


def _data(ov: Any, type: str, values: Any, dtype: Any = None) -> Any:
    return ov.opset13.constant(np.array(values), getattr(ov.Type, type)).get_data(dtype=dtype)


def _run(ov: Any, node: Any, parameters: Any, inputs: Any) -> Any:
    return ov.compile_model(ov.Model([node], parameters, "m"), "CPU")(inputs)[0]


def _of_strings(ov: Any, value: Any, shape: Any) -> Any:
    x = ov.opset13.parameter(shape, ov.Type.string)
    return _run(ov, ov.opset13.result(x), [x], value)


def _of_integers(ov: Any, value: Any) -> Any:
    x = ov.opset13.parameter([2], np.int32)
    return _run(ov, ov.opset13.add(x, np.int32([1, 1])), [x], value)


def _chained(ov: Any) -> Any:
    a, b = ov.opset13.parameter([1], F, name="a"), ov.opset13.parameter([1], F, name="double")
    first = ov.Model([ov.opset13.add(a, a)], [a], "first")
    first.output().tensor.set_names({"double"})
    results = ov.compile_model(first, "CPU")(np.ones(1, F))
    return ov.compile_model(ov.Model([ov.opset13.add(b, b)], [b], "second"), "CPU")(results)[0]


def _of_batch(ov: Any) -> Any:
    x = ov.opset13.parameter([2, 3], F, name="x")
    x.set_layout(ov.Layout("N..."))
    request = ov.compile_model(ov.Model([ov.opset13.add(x, x)], [x], "m"), "CPU").create_infer_request()
    request.set_input_tensors([ov.Tensor(np.full((1, 3), value, F)) for value in (1, 2)])
    request.infer()
    return request.get_output_tensor().data


def _imported(ov: Any) -> Any:
    stream = BytesIO()
    ov.compile_model(_built(ov), "CPU").export_model(stream)
    return [sorted(port.names) for port in ov.Core().import_model(stream, "CPU").inputs]


def _end(ov: Any) -> list[Any]:
    node = ov.compile_model(_built(ov), "CPU").output(1).get_node()
    source = node.inputs()[0].get_source_output()
    return [node.get_type_name(), node.get_input_size(), source.get_shape(), source.get_element_type()]


def _sharing(ov: Any, share: bool) -> list[bool]:
    x = ov.opset13.parameter([2], F)
    request = ov.compile_model(ov.Model([ov.opset13.abs(x)], [x], "m"), "CPU").create_infer_request()
    array = np.array([-1, 2], F)
    result = request.infer(array, share, share)[0]
    tensors = request.get_input_tensor().data, request.get_output_tensor().data
    return [bool(np.shares_memory(*pair)) for pair in zip(tensors, (array, result), strict=True)]


def _noted(ov: Any) -> Any:
    model = _built(ov)
    model.set_rt_info([1.5, 2.25], ["own", "list"])
    model.set_rt_info(True, ["own", "switch"])
    model.set_rt_info({"inner": [1, 2]}, ["own", "nested"])
    return model


def _notes(ov: Any) -> list[str]:
    with TemporaryDirectory() as folder:
        ov.serialize(_noted(ov), f"{folder}/model.xml")
        text = Path(folder, "model.xml").read_text(encoding="utf-8")
    return [line.strip() for line in text[text.index("<rt_info>") :].splitlines()]


def _if(ov: Any) -> Any:
    o = ov.opset13
    bodies = []
    for build in (o.relu, o.negative):
        inner = o.parameter([2], F)
        bodies.append((inner, o.result(build(inner))))
    node = o.if_op(o.constant(True))
    node.set_then_body(ov.Model([bodies[0][1]], [bodies[0][0]], "then"))
    node.set_else_body(ov.Model([bodies[1][1]], [bodies[1][0]], "else"))
    node.set_input(o.constant(np.array([-1, 2], F)).output(0), bodies[0][0], bodies[1][0])
    return node.set_output(bodies[0][1], bodies[1][1]).get_partial_shape()


def _resized(ov: Any) -> Any:
    o = ov.opset13
    x = o.parameter([1, 2], F, name="x")
    read = o.read_value(o.constant(np.zeros((1, 2), F)), "v", F, ov.PartialShape([-1, 2]))
    total = o.add(read, x)
    model = ov.Model([o.result(total)], [o.assign(total, "v")], [x], "m")
    model.reshape({"x": [3, 2]}, {"v": [3, 2]})
    return model.output().partial_shape


def _passes(ov: Any) -> Any:
    return import_module(f"{ov.__name__}.passes")


def _matched(ov: Any) -> list[bool]:
    o, passes = ov.opset13, _passes(ov)
    x = o.parameter([2, 2], F)
    pattern = o.relu(o.matmul(passes.AnyInput(), passes.AnyInput(), False, False))
    return [passes.Matcher(pattern, "m").match(o.relu(node)) for node in (o.matmul(x, x, False, False), o.add(x, x))]


def _doubled(ov: Any) -> Any:
    """Return the result of an operation of a user as OpenVINO's documentation writes them."""

    class Doubled(ov.Op):  # type: ignore[misc, name-defined]
        def __init__(self, inputs: Any = None) -> None:
            super().__init__(self, inputs)

        def validate_and_infer_types(self) -> None:
            self.set_output_type(0, self.get_input_element_type(0), self.get_input_partial_shape(0))

        def evaluate(self, outputs: Any, inputs: Any) -> bool:
            outputs[0].shape = inputs[0].shape
            outputs[0].data[:] = 2 * inputs[0].data
            return True

        def has_evaluate(self) -> bool:
            return True

        def visit_attributes(self, visitor: Any) -> bool:
            visitor.on_attributes(None)
            return True

    x = ov.opset13.parameter([2], F, name="x")
    return _run(ov, Doubled([x]), [x], np.ones(2, F))


def _recoloured(ov: Any) -> Any:
    """Return the result of a model of dynamic rank whose channels are reversed before it."""
    steps = import_module(f"{ov.__name__}.preprocess")
    x = ov.opset13.parameter(ov.PartialShape.dynamic(), F, name="x")
    processor = steps.PrePostProcessor(ov.Model([ov.opset13.relu(x)], [x], "m"))
    processor.input().tensor().set_layout(ov.Layout("NCHW")).set_color_format(steps.ColorFormat.BGR)
    processor.input().preprocess().convert_color(steps.ColorFormat.RGB)
    processor.input().model().set_layout(ov.Layout("NCHW"))
    return ov.compile_model(processor.build(), "CPU")(np.arange(12, dtype=F).reshape(1, 3, 2, 2))[0]


CHECKS: dict[str, Check] = {
    "form, names of a built model": lambda ov: _names(_built(ov)),
    "form, names of a model read back": lambda ov: _names(_read_back(ov)),
    "form, order of a built model": lambda ov: [node.friendly_name for node in _built(ov).get_ordered_ops()],
    "form, order of a model read back": lambda ov: [node.friendly_name for node in _read_back(ov).get_ordered_ops()],
    "form, input by the name of its node": lambda ov: _built(ov).input("b").any_name,
    "form, model of a node with several outputs": lambda ov: [
        len(ov.Model(made, [x], "m").outputs)
        for x in [ov.opset13.parameter([4], F)]
        for split in [ov.opset13.split(x, 0, 2)]
        for made in (split, [split], split.outputs())
    ],
    "form, shared constant": lambda ov: _shared(ov, True),
    "form, copied constant": lambda ov: _shared(ov, False),
    "form, shared constant of a transposed array": lambda ov: ov.opset13.constant(
        np.ones((2, 3)).T, shared_memory=True
    ),
    "form, constant of int": lambda ov: ov.opset13.constant([1.5], int).get_element_type(),
    "form, constant of float": lambda ov: ov.opset13.constant([1], float).get_element_type(),
    "form, converted to int and float": lambda ov: [
        ov.opset13.convert(ov.opset13.parameter([1], np.int8), type).get_element_type() for type in (int, float, bool)
    ],
    "form, parameter of int": lambda ov: ov.opset13.parameter([1], int).get_element_type(),
    "form, constant of one value": lambda ov: ov.op.Constant(ov.Type.f32, ov.Shape([]), [0.5]).data,
    "form, codes of nf4": lambda ov: _data(ov, "nf4", [0, 1, 7, 15]),
    "form, values of codes of nf4": lambda ov: _data(ov, "nf4", [0, 7, 15], F),
    "form, values of u1": lambda ov: _data(ov, "u1", [0, 1, 1, 0, 1, 0, 0, 1], np.int8),
    "form, values of bf16": lambda ov: _data(ov, "bf16", [0.5, 1012.5], F),
    "form, bits of bf16": lambda ov: _data(ov, "bf16", [0.5, 1.0]).view(np.uint16),
    "form, type by name": lambda ov: [ov.Type("float32"), ov.Type("int8"), ov.Type(np.float16)],
    "form, type by OpenVINO's name": lambda ov: ov.Type("f32"),
    "form, tensor of a type by name": lambda ov: ov.Tensor("float32", [2]).element_type,
    "form, tensor of a port": lambda ov: [
        [tensor.shape, tensor.element_type]
        for x in [ov.opset13.parameter([2, 3], np.int16).output(0)]
        for tensor in (ov.Tensor(x), ov.Tensor(x, np.ones((2, 3), np.int16)))
    ],
    "form, tensor of a port and a small array": lambda ov: ov.Tensor(
        ov.opset13.parameter([5], F).output(0), np.ones((2, 2), F)
    ),
    "form, part of a packed tensor": lambda ov: ov.Tensor(ov.Tensor(ov.Type.u4, [4]), [0], [2]),
    "form, strides of a packed tensor": lambda ov: ov.Tensor(ov.Type.u4, [4]).strides,
    "form, shape equals partial shape": lambda ov: [
        ov.Shape([1, 2]) == ov.PartialShape([1, 2]),
        ov.PartialShape([1, 2]) == ov.Shape([1, 2]),
        ov.Shape([1, 2]) == ov.PartialShape([1, -1]),
    ],
    "form, shape of dimensions": lambda ov: ov.Shape(list(ov.PartialShape([1, 2]))),
    "form, strings as bytes": lambda ov: _of_strings(ov, np.array([b"one", b"two"]), [-1]),
    "form, strings in lists": lambda ov: _of_strings(ov, [["one", "two"]], [1, 2]),
    "form, bytes in lists": lambda ov: _of_strings(ov, [[b"one"], [b"two"]], [2, -1]),
    "form, floats for integers": lambda ov: _of_integers(ov, np.array([1.0, 2.0], F)),
    "form, results as inputs": _chained,
    "form, tensors of a batch": _of_batch,
    "form, import of a stream at its end": _imported,
    "form, nodes of a compiled model": _end,
    "form, shared inputs and outputs": lambda ov: _sharing(ov, True),
    "form, copied inputs and outputs": lambda ov: _sharing(ov, False),
    "form, notes in a file": _notes,
    "form, nested notes": lambda ov: [
        "list" in _noted(ov).get_rt_info()["own"],
        isinstance(_noted(ov).get_rt_info()["own"], dict),
        _noted(ov).get_rt_info(["own", "nested"]).value,
    ],
    "form, list of a text with spaces": lambda ov: ov.OVAny("1.5 2.25").aslist(float),
    "form, output of an If before a model": _if,
    "form, shapes of variables": _resized,
    "form, lrn without attributes": lambda ov: ov.opset13.lrn(
        ov.opset13.parameter([1, 4], F), ov.opset13.constant([1])
    ).get_attributes(),
    "form, attention without a mask": lambda ov: ov.opset13.scaled_dot_product_attention(
        *(ov.opset13.parameter([1, 2, 4], F) for _ in range(3)), scale=np.float32(0.5)
    ).get_input_size(),
    "form, range of opset8": lambda ov: ov.opset8.range(
        *(ov.opset8.constant(np.array(number, np.int32)) for number in (0, 4, 1))
    ).get_output_partial_shape(0),
    "form, constants have the name of the node": lambda ov: (
        ov.opset13.add(ov.opset13.parameter([2], F), F(1), name="mine")
        .input_value(1)
        .get_node()
        .friendly_name.startswith("mine/")
    ),
    "form, pattern of a builder": _matched,
    "form, optional pattern alone": lambda ov: (
        _passes(ov)
        .Matcher(_passes(ov).Optional(["opset13.Abs"]), "m")
        .match(ov.opset13.relu(ov.opset13.parameter([2], F)))
    ),
    "form, pattern of an unknown operation": lambda ov: _passes(ov).WrapType("opset13.Nothing"),
    "form, operation of a user": _doubled,
    "form, channels of a dynamic rank": _recoloured,
    "form, property of a switch": lambda ov: ov.properties.enable_profiling(1)[1].value,
    "form, property of devices": lambda ov: ov.properties.device.priorities("CPU", "GPU")[1].value,
    "form, streams": lambda ov: [ov.properties.streams.Num().to_integer(), ov.properties.streams.num(2)[1].value],
    "form, number of streams": lambda ov: [
        property(ov.properties.streams.Num(4))[1].value
        for property in (ov.properties.streams.num, ov.properties.num_streams)
    ],
    "form, property of a model": lambda ov: [
        [name, value.value.friendly_name] for name, value in [ov.properties.hint.model(_built(ov))]
    ],
    "form, name of the property of a model": lambda ov: ov.properties.hint.model(),
    "form, order of outputs": lambda ov: (
        sorted(ov.opset13.split(ov.opset13.parameter([4], F), 0, 2).outputs()) is not None
    ),
    "form, sink of a number": lambda ov: _built(ov).get_sink_index(0),
}
