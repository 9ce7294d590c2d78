"""Checks of arguments that do not fit, and of calls at the wrong time."""

from __future__ import annotations

import copy
import io
from typing import Any

import numpy as np

from tests.openvino import nets
from tests.openvino.comparing import Check
from tests.openvino.models import pair, small
from tests.openvino.running import stateful
from tests.openvino.subgraphs import LONG, X

# -- nodes and builders


def _if_node(ov: Any) -> Any:
    ops = ov.opset13
    return ops.if_op(ops.parameter([], bool, name="cond").output(0))


def _then(ov: Any) -> Any:
    ops = ov.opset13
    a = ops.parameter([1, 3], np.float32, name="a")
    return ov.Model([ops.result(ops.relu(a))], [a], "then")


def _foreign_result(ov: Any) -> Any:
    node, body, other = _if_node(ov), _then(ov), _then(ov)
    node.set_then_body(body)
    node.set_else_body(_then(ov))
    return node.set_output(other.results[0], other.results[0])


def _floats_of(ov: Any) -> Any:
    node = ov.opset13.lstm_sequence(
        *(ov.opset13.constant(np.ones(shape, np.float32)) for shape in ((1, 2, 3), (1, 1, 4), (1, 1, 4))),
        ov.opset13.constant(np.array([2], np.int32)),
        *(ov.opset13.constant(np.ones(shape, np.float32)) for shape in ((1, 16, 3), (1, 16, 4), (1, 16))),
        4,
        "forward",
        ["sigmoid", "tanh", "relu"],
    )
    return node.get_attributes()["activations"], node.get_output_partial_shape(0)


def _loop_forever(ov: Any, shape: Any) -> Any:
    """Return the number of iterations of a loop whose number of trips is an input, before and after a run."""
    ops = ov.opset13
    trips, x = ops.parameter([], np.int64, name="trips"), ops.parameter([1, 3], np.float32, name="x")
    total = ops.parameter([1, 3], np.float32)
    summed = ops.add(total, ops.constant(np.float32(1)))
    body = ov.Model([ops.constant(np.array(True)), summed], [total], "body")
    node = ops.loop(trips, ops.constant(np.array(True)))
    node.set_function(body)
    node.set_special_body_ports([-1, 0])
    node.set_merged_input(total, x.output(0), summed.output(0))
    outputs = [node.get_iter_value(summed.output(0), -1)]
    if shape == "joined":
        outputs.append(node.get_concatenated_slices(summed.output(0), 0, 1, 1, -1, 0))
    model = ov.Model(outputs, [trips, x], "loop")
    run = ov.compile_model(model, "CPU")([np.array(2), X])
    return node.get_num_iterations(), [output.partial_shape for output in model.outputs], run[0]


def _described(ov: Any, kind: str) -> Any:
    """Return the descriptions of an iterator, and its outputs once they were set from those descriptions."""
    ops = ov.opset13
    x, first = ops.parameter([1, 4, 3], np.float32, name="x"), ops.parameter([1, 1, 3], np.float32, name="first")
    scale = ops.parameter([1, 1, 3], np.float32, name="scale")
    part, before, factor = (ops.parameter([1, 1, 3], np.float32) for _ in range(3))
    total = ops.add(ops.multiply(part, factor), before)

    def iterator() -> Any:
        node = ops.tensor_iterator()
        node.set_body(ov.Model([ops.result(total)], [part, before, factor], "body"))
        return node

    node = iterator()
    result = node.get_body().results[0].output(0)
    node.set_sliced_input(part, x.output(0), 0, 1, 1, -1, 1)
    node.set_merged_input(before, first.output(0), result)
    node.set_invariant_input(factor, scale.output(0))
    last, joined = node.get_iter_value(result, -1), node.get_concatenated_slices(result, 0, 1, 1, -1, 1)
    inputs, outputs = node.get_input_descriptions(), node.get_output_descriptions()
    if kind == "listed":
        return [[type(item).__name__, _indices(item)] for item in (*inputs, *outputs)]
    node.set_input_descriptions(inputs)
    node.set_output_descriptions(outputs)
    model = ov.Model([last, joined], [x, first, scale], "iterator")
    run = ov.compile_model(model, "CPU")([LONG, LONG[:, :1], LONG[:, 1:2]])
    return run[0], run[1]


def _indices(item: Any) -> dict[str, int]:
    names = ("input_index", "body_parameter_index", "body_value_index", "output_index", "start", "stride", "axis")
    return {name: getattr(item, name) for name in names if hasattr(item, name)}


NODES: dict[str, Check] = {
    "body that is not a model": lambda ov: _if_node(ov).set_then_body(1),
    "result of another body": _foreign_result,
    "loop of unknown trips": lambda ov: _loop_forever(ov, "last"),
    "loop of unknown trips, joined": lambda ov: _loop_forever(ov, "joined"),
    "descriptions of an iterator": lambda ov: _described(ov, "listed"),
    "descriptions set again": lambda ov: _described(ov, "set"),
    "input that is not a description": lambda ov: ov.opset13.tensor_iterator().set_input_descriptions([1]),
    "output that is not a description": lambda ov: ov.opset13.tensor_iterator().set_output_descriptions([1]),
    "strings as attribute": _floats_of,
    "concat of a node": lambda ov: ov.opset13.concat(ov.opset13.parameter([2], np.float32), 0),
    "builder without input": lambda ov: ov.opset13.add(ov.opset13.parameter([2], np.float32), None),
    "builder of unknown attribute": lambda ov: ov.opset13.interpolate(
        ov.opset13.parameter([1, 1, 2, 2], np.float32), [2, 2], "nearest", "sizes", bogus=1
    ),
    "attributes as mapping": lambda ov: ov.opset13.prior_box_clustered(
        ov.opset13.constant(np.array([2, 2])),
        ov.opset13.constant(np.array([8, 8])),
        {"width": [4.0], "height": [5.0], "step": 4.0, "offset": 0.5, "variance": [0.1, 0.1, 0.2, 0.2]},
    ).get_output_partial_shape(0),
    "convert to an unknown type": lambda ov: ov.opset13.convert(ov.opset13.parameter([2], np.float32), "f99"),
    "read_value of no variable": lambda ov: ov.opset13.read_value(ov.opset13.constant(1.0), 5),
    "ufunc of one operand": lambda ov: np.negative(ov.opset13.parameter([2], np.float32)),
    "ufunc that is not an operator": lambda ov: np.arctan2(np.ones(2), ov.opset13.parameter([2], np.float32)),
    "ufunc": lambda ov: np.add(np.ones(2, np.float32), ov.opset13.parameter([2], np.float32)).get_type_name(),
}

# -- models


def _cycle(ov: Any) -> Any:
    ops = ov.opset13
    x = ops.parameter([2], np.float32, name="x")
    first = ops.relu(x)
    second = ops.abs(first)
    model = ov.Model([second], [x], "cycle")
    first.input(0).replace_source_output(second.output(0))
    model.validate_nodes_and_infer_types()


def _batched(ov: Any) -> Any:
    ops = ov.opset13
    x, y = (ops.parameter([1, 2], np.float32, name=name) for name in "xy")
    x.set_layout(ov.Layout("NC"))
    model = ov.Model([ops.add(x, y)], [x, y], "m")
    ov.set_batch(model, 1)
    return ov.get_batch(model), [item.partial_shape for item in model.inputs]


def _foreign_port(ov: Any) -> Any:
    model, other = small(ov), small(ov)
    model.reshape({other.input(0): [2, 3]})


def _replaced_by_consumer(ov: Any) -> Any:
    ops = ov.opset13
    x = ops.parameter([2], np.float32, name="x")
    first = ops.relu(x)
    model = ov.Model([ops.abs(first)], [x], "m")
    scaled = ops.multiply(first, ops.constant(np.float32(-3)))
    first.output(0).replace(scaled.output(0))
    model.validate_nodes_and_infer_types()
    return [item.get_type_name() for item in model.get_ordered_ops()], ov.compile_model(model, "CPU")(
        np.ones(2, np.float32)
    )[0]


def _cloned_notes(ov: Any) -> Any:
    model = small(ov)
    model.get_ordered_ops()[2].rt_info["mine"] = "1"
    made = model.clone()
    return [str("mine" in node.rt_info) for node in made.get_ordered_ops()]


def _noted(ov: Any, text: str) -> Any:
    model = small(ov)
    model.set_rt_info(text, "note")
    return model.get_rt_info("note")


def _exported(ov: Any, change: Any) -> Any:
    data = ov.compile_model(small(ov), "CPU").export_model()
    whole = data.getvalue() if hasattr(data, "getvalue") else data
    return ov.Core().import_model(io.BytesIO(change(whole)), "CPU")(X)[0]


MODELS: dict[str, Check] = {
    "reshape without shapes": lambda ov: small(ov).reshape(None),
    "reshape variables by numbers": lambda ov: small(ov).reshape({0: [2, 3]}, {0: [2, 3]}),
    "reshape variables by a range": lambda ov: small(ov).reshape({0: [2, 3]}, {"v": range(3)}),
    "cycle": _cycle,
    "model of a model": lambda ov: [str(item.partial_shape) for item in ov.Model(small(ov)).inputs],
    "reshape by another's port": _foreign_port,
    "add output of unknown node": lambda ov: small(ov).add_outputs(("relu_lyaer", 0)),
    "add output by node": lambda ov: [len(m.outputs) for m in [small(ov)] if m.add_outputs(("sum_layer", 0))],
    "result index of another": lambda ov: small(ov).get_result_index(small(ov).results[0]),
    "batch of one input": _batched,
    "replace an output by its consumer": _replaced_by_consumer,
    "clone keeps notes": _cloned_notes,
    "set layout of an inner port": lambda ov: ov.layout_helpers.set_layout(
        small(ov).get_ordered_ops()[2].output(0), ov.Layout("NC")
    ),
    "serialize to unknown version": lambda ov: ov.serialize(small(ov), "none.xml", "none.bin", "IR_V99"),
    "import truncated": lambda ov: _exported(ov, lambda data: data[:-8]),
    "weights of a wrong type": lambda ov: ov.Core().read_model(nets.small().encode(), 7),
    "rt_info that is not a bool": lambda ov: small(ov).get_rt_info(["group", "inner"]).astype(bool),
    "rt_info bool": lambda ov: [_noted(ov, text).astype(bool) for text in ("true", "No", "on", "0", "")],
    "property by name only": lambda ov: ov.Core().get_property("CPU", "DEVICE_TYPE").name,
    "streams chosen": lambda ov: ov.compile_model(small(ov), "CPU", {"NUM_STREAMS": -1}).get_property("NUM_STREAMS"),
    "set nothing on a compiled model": lambda ov: ov.compile_model(small(ov), "CPU").set_property({}),
}

# -- values


VALUES: dict[str, Check] = {
    "partial shape of pairs of texts": lambda ov: ov.PartialShape([("1", "2")]),
    "partial shape without a size": lambda ov: ov.PartialShape("[?,,3]"),
    "partial shape that ends with a comma": lambda ov: ov.PartialShape("1,2,"),
    "dimension with an underscore": lambda ov: ov.Dimension("1_0"),
    "dimension of texts": lambda ov: ov.Dimension("1", 2),
    "negative dimension": lambda ov: str(ov.Dimension("-2")),
    "relaxes of dynamic rank": lambda ov: [
        a.relaxes(b)
        for a in (ov.PartialShape("..."), ov.PartialShape("1,?"))
        for b in (ov.PartialShape("..."), ov.PartialShape("1,?"), ov.PartialShape("1,2"))
    ],
    "same_scheme of dynamic rank": lambda ov: [
        a.same_scheme(b)
        for a in (ov.PartialShape("..."), ov.PartialShape("1,?"))
        for b in (ov.PartialShape("..."), ov.PartialShape("1,?"), ov.PartialShape("1,2"))
    ],
    "shape with half a bracket": lambda ov: ov.PartialShape("[1,2"),
    "strings of numbers": lambda ov: ov.Tensor(np.ones(2, np.float32)).str_data,
    "strings set on numbers": lambda ov: setattr(ov.Tensor(np.ones(2, np.float32)), "str_data", ["a", "b"]),
    "deep copy of a bf16 tensor": lambda ov: copy.deepcopy(ov.Tensor(ov.Type.bf16, ov.Shape([2]))).element_type,
}

# -- requests


def _request(ov: Any, model: Any) -> Any:
    return ov.compile_model(model, "CPU").create_infer_request()


def _bf16(ov: Any) -> Any:
    ops = ov.opset13
    x = ops.parameter([3], ov.Type.bf16, name="x")
    return ov.compile_model(ov.Model([ops.relu(x)], [x], "bf16"), "CPU", {"INFERENCE_PRECISION_HINT": "bf16"})


def _bf16_bits(ov: Any, wrap: Any) -> Any:
    bits = np.array([0x3F80, 0xC000, 0x4040], np.uint16)
    tensor = ov.Tensor(bits, ov.Shape([3]), ov.Type.bf16)
    request = _bf16(ov).create_infer_request()
    return np.asarray(request.infer([wrap(tensor, bits)])[0]).view(np.uint16)


def _kept_in_tensor(ov: Any) -> Any:
    request = _request(ov, small(ov))
    given = request.get_input_tensor()
    request.infer([X])
    return given.data


def _text_model(ov: Any) -> Any:
    ops = ov.opset15
    x = ops.parameter([2], ov.Type.string, name="x")
    return ov.Model([ops.result(x)], [x], "texts")


def _texts(ov: Any, decode: bool) -> Any:
    request = _request(ov, _text_model(ov))
    returned = request.infer([np.array(["a", "b\u00e9"])], decode_strings=decode)[0]
    return [item.tolist() for item in (returned, request.results[0], request.get_output_tensor().str_data)]


def _state(ov: Any, tensor: Any) -> Any:
    request = stateful(ov).create_infer_request()
    request.query_state()[0].state = tensor(ov)
    return request.infer([np.ones((1, 2), np.float32)])[0]


REQUESTS: dict[str, Check] = {
    "bf16 as tensor": lambda ov: _bf16_bits(ov, lambda tensor, _: tensor),
    "input kept in its tensor": _kept_in_tensor,
    "one array for two inputs": lambda ov: _request(ov, pair(ov)).infer(np.ones(2, np.float32)),
    "tensor named by a number": lambda ov: _request(ov, small(ov)).get_tensor(0),
    "strings before inference": lambda ov: _request(ov, _text_model(ov)).get_output_tensor().str_data.tolist(),
    "results of strings before inference": lambda ov: _request(ov, _text_model(ov)).results[0].tolist(),
    "strings": lambda ov: _texts(ov, True),
    "strings as bytes": lambda ov: _texts(ov, False),
    "state of another shape": lambda ov: _state(ov, lambda ov: ov.Tensor(np.ones((3, 3, 3), np.float32))),
}

CHECKS: dict[str, Check] = NODES | MODELS | VALUES | REQUESTS
