"""Uncommon calls that OpenVINO does not have, or crashes on, and the messages for arguments that do not fit."""

from __future__ import annotations

import io
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import irrun
from irrun import opset13 as ops
from irrun import passes
from irrun.preprocess import ColorFormat, PrePostProcessor
from irrun.runtime import Observer
from tests.api.models import small
from tests.api.running import stateful
from tests.api.subgraphs import X


def _parameter(shape: Any = (2,), **named: Any) -> irrun.op.Parameter:
    return ops.parameter(list(shape), np.float32, **named)


def _image(shape: Any, layout: str) -> PrePostProcessor:
    x = _parameter(shape, name="x")
    steps = PrePostProcessor(irrun.Model([ops.relu(x)], [x], "m"))
    steps.input().model().set_layout(irrun.Layout(layout))
    return steps


def _planes_cropped() -> None:
    steps = _image([1, 4, 4, 3], "NHWC")
    steps.input().tensor().set_element_type(irrun.Type.u8).set_color_format(ColorFormat.NV12_TWO_PLANES)
    steps.input().preprocess().convert_element_type(irrun.Type.f32)
    steps.build()


def _reversed_of_any_channels() -> None:
    steps = _image([1, 4, 4, -1], "NHWC")
    steps.input().preprocess().reverse_channels()
    steps.build()


def _layout_of_any_rank() -> None:
    x = ops.parameter(irrun.PartialShape.dynamic(), np.float32, name="x")
    steps = PrePostProcessor(irrun.Model([ops.relu(x)], [x], "m"))
    steps.input().preprocess().convert_layout([0, 1])
    steps.build()


def _resized_of_any_rank() -> None:
    x = ops.parameter(irrun.PartialShape.dynamic(), np.float32, name="x")
    steps = PrePostProcessor(irrun.Model([ops.relu(x)], [x], "m"))
    steps.input().tensor().set_layout(irrun.Layout("NCHW")).set_spatial_static_shape(4, 4)
    steps.build()


def _order_of_other_axes() -> None:
    steps = _image([1, 4, 4, 3], "NHWC")
    steps.input().preprocess().convert_layout([0, 1, 1, 3])
    steps.build()


def _body() -> irrun.Model:
    inner = _parameter(name="inner")
    return irrun.Model([ops.relu(inner)], [inner], "body")


def _without_weights() -> irrun.Model:
    from tests.api import nets

    return irrun.Core().read_model(nets.small().encode())


REFUSED: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "body that is not set": (
        lambda: ops.if_op(ops.constant(True).output(0)).get_then_body(),
        RuntimeError,
        "has no then_body yet; set it first",
    ),
    "value of the second iteration": (
        lambda: ops.tensor_iterator().get_iter_value(ops.constant(1.0).output(0), 1),
        RuntimeError,
        "iteration is 1, expected -1, the last one",
    ),
    "node of two outputs": (
        lambda: ops.relu(ops.split(_parameter([4]), ops.constant(0), 2)),
        RuntimeError,
        "has 2 outputs; name one, as node.output(0)",
    ),
    "misspelt attribute in a mapping": (
        lambda: ops.grid_sample(_parameter([1, 1, 2, 2]), _parameter([1, 2, 2, 2]), {"moed": "nearest"}),
        RuntimeError,
        "GridSample has no attribute 'moed'; did you mean mode?",
    ),
    "variable named by a number": (
        lambda: ops.read_value(ops.constant(np.float32([1])), 5),
        TypeError,
        "variable_id is 5, expected a text",
    ),
    "ReadValue of no variable": (
        lambda: irrun.op.read_value(ops.constant(np.float32([1])), "v"),
        TypeError,
        "a Variable is expected, got 'v'",
    ),
    "sum of a node along an axis": (lambda: np.add.reduce(_parameter()), TypeError, "returned NotImplemented"),
    "settings of a compiled model": (
        lambda: irrun.compile_model(_parameter_model()).set_property({"NUM_STREAMS": 1}),
        RuntimeError,
        "settings of a compiled model are fixed, got NUM_STREAMS; compile_model takes them",
    ),
    "tensor of another model": (
        lambda: irrun.compile_model(_parameter_model()).create_infer_request().get_tensor(_other_port()),
        RuntimeError,
        "is no output of this model",
    ),
    "state of strings": (
        lambda: _set_state(np.array([["a", "b"]])),
        RuntimeError,
        'variable "total" is f32, got string',
    ),
    "state of another shape": (
        lambda: _set_state(np.ones((3, 3, 3), np.float32)),
        RuntimeError,
        'variable "total" has shape [1,2], got [3,3,3]',
    ),
    "constant without weights": (
        lambda: irrun.save_model(_without_weights(), "none.xml"),
        RuntimeError,
        'the values of constant "c" are not known: there is no file of weights',
    ),
    "serialized version": (
        lambda: irrun.serialize(_body(), "none.xml", "none.bin", "IR_V10"),
        RuntimeError,
        "version is 'IR_V10', expected UNSPECIFIED or IR_V11",
    ),
    "exported model with a byte too many": (
        lambda: irrun.Core().import_model(irrun.compile_model(_body()).export_model().getvalue() + b"x", "CPU"),
        RuntimeError,
        "bytes, expected",
    ),
    "second output of a pattern": (
        lambda: passes.AnyInput().output(1),
        RuntimeError,
        "a pattern has one output, so there is no output 1",
    ),
    "pattern of a text in a list": (lambda: passes.Or(["x"]), TypeError, "'x' is no pattern"),
    "matcher before a match": (
        lambda: passes.Matcher(passes.AnyInput(), "any").get_match_value(),
        RuntimeError,
        "the pattern 'any' matched nothing",
    ),
    "pass without a pattern": (
        lambda: passes.MatcherPass().apply(_parameter()),
        RuntimeError,
        "MatcherPass has no pattern; register_matcher sets it",
    ),
    "planes before colours are converted": (_planes_cropped, RuntimeError, "convert_color comes first"),
    "channels reversed whose number is dynamic": (
        _reversed_of_any_channels,
        RuntimeError,
        "the number of channels is dynamic",
    ),
    "order of axes of any rank": (_layout_of_any_rank, RuntimeError, "the rank of the tensor is dynamic"),
    "height and width of any rank": (_resized_of_any_rank, RuntimeError, "the rank of the tensor is dynamic"),
    "order that is none": (_order_of_other_axes, RuntimeError, "[0, 1, 1, 3] is no order of 4 axes"),
    "property with two values": (
        lambda: irrun.properties.hint.num_requests(1, 2),
        TypeError,
        "takes int, got 1, 2",
    ),
    "layout of an inner port": (
        lambda: irrun.layout_helpers.set_layout(ops.relu(_parameter()).output(0), irrun.Layout("N")),
        RuntimeError,
        "is no input or output of a model",
    ),
    "class that is no operation": (
        lambda: irrun.Core().add_extension(int),
        RuntimeError,
        "int is no operation, expected a class that derives from Op",
    ),
}


def _parameter_model() -> irrun.Model:
    x = _parameter(name="x")
    return irrun.Model([ops.relu(x)], [x], "m")


def _other_port() -> Any:
    return irrun.compile_model(_body()).output(0)


def _set_state(array: Any) -> None:
    stateful(irrun).create_infer_request().query_state()[0].state = irrun.Tensor(array)


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    call, error, message = REFUSED[name]
    with pytest.raises(error, match=re.escape(message)):
        call()


def test_input_of_a_node_stands_for_its_source() -> None:
    relu = ops.relu(_parameter([2, 3]))
    negated = ops.negative(_parameter())
    negated.set_arguments([relu.input(0)])
    negated.validate_and_infer_types()
    assert negated.input_value(0) == relu.input_value(0)
    assert negated.get_output_partial_shape(0) == [2, 3]


@pytest.mark.parametrize("value", [["a", "b\u00e9"], irrun.Tensor(np.array(["a", "b\u00e9"]))], ids=["list", "tensor"])
def test_constants_of_strings(value: Any) -> None:
    node = ops.constant(value)
    assert node.get_output_element_type(0) == irrun.Type.string
    assert irrun.compile_model(irrun.Model([node], [], "texts"))([])[0].tolist() == ["a", "b\u00e9"]


def test_state_of_bf16_is_its_bits() -> None:
    x = ops.parameter([2], irrun.Type.bf16, name="x")
    variable = irrun.op.util.Variable(irrun.op.util.VariableInfo(irrun.PartialShape([2]), irrun.Type.bf16, "v"))
    total = ops.add(irrun.op.read_value(x, variable), x)
    model = irrun.Model([ops.result(total)], [irrun.op.assign(total, variable)], [x], "m")
    request = irrun.compile_model(model).create_infer_request()
    bits = np.array([0x3F80, 0xC000], np.uint16)
    request.infer([irrun.Tensor(bits, irrun.Shape([2]), irrun.Type.bf16)])
    state = request.query_state()[0].state
    assert state.element_type == irrun.Type.bf16
    assert state.data.view(np.uint16).tolist() == [0x4000, 0xC080]


class _Cancels(Observer):
    def __init__(self, request: irrun.InferRequest) -> None:
        self.request = request

    def before(self, *_: Any) -> None:
        self.request.cancel()

    def after(self, *_: Any) -> None:
        pass


def test_cancelled_inference_of_a_queue() -> None:
    queue = irrun.AsyncInferQueue(irrun.compile_model(_parameter_model()), 1)
    queue[0].observers.append(_Cancels(queue[0]))
    queue.start_async([np.ones(2, np.float32)])
    with pytest.raises(RuntimeError, match="the inference was cancelled"):
        queue.wait_all()


def test_streams_that_are_chosen_are_one() -> None:
    core = irrun.Core()
    core.set_property({"NUM_STREAMS": -1})
    assert core.get_property("CPU", "NUM_STREAMS") == 1


def test_gray_of_floats() -> None:
    x = _parameter([1, 2, 2, 1], name="x")
    steps = PrePostProcessor(irrun.Model([ops.result(ops.relu(x))], [x], "m"))
    steps.input().tensor().set_shape([1, 2, 2, 3]).set_layout(irrun.Layout("NHWC"))
    steps.input().tensor().set_color_format(ColorFormat.BGR)
    steps.input().preprocess().convert_color(ColorFormat.GRAY)
    model = steps.build()
    image = np.array([[[[1, 0, 0], [0, 1, 0]], [[0, 0, 1], [2, 2, 2]]]], np.float32)
    gray = irrun.compile_model(model)(image)[0]
    np.testing.assert_allclose(gray.reshape(-1), [0.114, 0.587, 0.299, 2], rtol=1e-4)


def test_nodes_that_do_not_fit_are_refused_with_the_model() -> None:
    model = _body()
    model.parameters[0].set_partial_shape(irrun.PartialShape([2]))
    added = ops.add(model.results[0].input_value(0), ops.constant(np.ones(2, np.float32)))
    model.results[0].set_argument(0, added.output(0))
    model.parameters[0].set_partial_shape(irrun.PartialShape([3]))
    with pytest.raises(irrun.IRError, match="Add"):
        model.validate_nodes_and_infer_types()


def test_model_is_serialized_to_streams() -> None:
    xml, weights = io.BytesIO(), io.BytesIO()
    irrun.serialize(small(irrun), xml, weights)
    again = irrun.Core().read_model(xml.getvalue(), weights.getvalue())
    np.testing.assert_array_equal(irrun.compile_model(again)(X)[0], [[2, 0, 6]])


def test_value_has_no_notes_below_it() -> None:
    model = small(irrun)
    assert model.has_rt_info("made_by")
    assert not model.has_rt_info(["made_by", "x"])


@pytest.mark.parametrize(
    "tensor",
    [
        irrun.Tensor(np.array([[1, 2]], np.int32)),
        irrun.Tensor(np.array([0x21, 0x43], np.uint8), irrun.Shape([4]), irrun.Type.u4),
        irrun.Tensor(np.array(["a", "bc"])),
    ],
    ids=["i32", "u4", "string"],
)
def test_tensors_are_pickled(tensor: irrun.Tensor) -> None:
    again = pickle.loads(pickle.dumps(tensor))
    assert (again.element_type, again.shape) == (tensor.element_type, tensor.shape)
    np.testing.assert_array_equal(again.values(), tensor.values())


def test_optional_pattern_matches_the_node_or_its_source() -> None:
    x = _parameter()
    relu = ops.relu(x)
    for source, found in ((relu, [relu.output(0), x.output(0)]), (x, [x.output(0)])):
        matcher = passes.Matcher(
            passes.WrapType("opset13.Abs", passes.Optional(["opset13.Relu"], passes.AnyInput())), "m"
        )
        root = ops.abs(source)
        assert matcher.match(root.output(0))
        assert sorted(map(repr, matcher.get_match_values())) == sorted(map(repr, [*found, root.output(0)]))


def test_patterns_of_nodes() -> None:
    x = _parameter()
    like = ops.abs(ops.relu(_parameter()))
    assert passes.Matcher(passes.WrapType("opset13.Negative", like.output(0)), "m").match(
        ops.negative(ops.abs(ops.relu(x))).output(0)
    )
    assert not passes.Matcher(passes.WrapType("opset13.Negative", like), "m").match(
        ops.negative(ops.relu(ops.abs(x))).output(0)
    )


def test_passes_without_validation_in_between() -> None:
    class Doubled(passes.ModelPass):
        def run_on_model(self, model: irrun.Model) -> bool:
            model.results[0].set_argument(0, ops.multiply(model.results[0].input_value(0), np.float32(2)).output(0))
            return True

    model = _body()
    manager = passes.Manager()
    manager.set_per_pass_validation(False)
    manager.register_pass(Doubled())
    manager.register_pass(Doubled())
    assert manager.run_passes(model)
    np.testing.assert_array_equal(irrun.compile_model(model)([np.float32([-1, 3])])[0], [0, 12])
