"""Calls that OpenVINO does not have, or crashes on."""

from __future__ import annotations

import io
import pickle
from typing import Any

import numpy as np
import pytest

import irrun
from irrun.openvino import opset13 as ops
from irrun.openvino import passes
from irrun.openvino.preprocess import ColorFormat, PrePostProcessor
from irrun.runtime import Observer
from tests.openvino.models import small
from tests.openvino.subgraphs import X


def _parameter(shape: Any = (2,), **named: Any) -> irrun.op.Parameter:
    return ops.parameter(list(shape), np.float32, **named)


def _relu() -> irrun.Model:
    x = _parameter(name="x")
    return irrun.Model([ops.relu(x)], [x], "m")


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
    queue = irrun.AsyncInferQueue(irrun.compile_model(_relu()), 1)
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


def test_channels_of_a_rank_that_only_the_values_tell() -> None:
    """OpenVINO's CPU runs no layer of a dynamic rank."""
    x = _parameter([1, 2, 2, 3], name="x")
    steps = PrePostProcessor(irrun.Model([ops.result(ops.relu(x))], [x], "m"))
    steps.input().tensor().set_layout(irrun.Layout("NHWC")).set_color_format(ColorFormat.BGR)

    def same(image: Any) -> Any:
        sizes = ops.shape_of(image)
        least = ops.convert(ops.reduce_min(ops.multiply(image, np.float32(0)), np.arange(4), False), "i64")
        axes = ops.reshape(ops.non_zero(ops.greater(sizes, least)), np.array([-1]), False)
        return ops.reshape(image, ops.gather(sizes, axes, np.array(0)), False).output(0)

    steps.input().preprocess().custom(same).convert_color(ColorFormat.RGB)
    model = steps.build()
    image = np.arange(12, dtype=np.float32).reshape(1, 2, 2, 3)
    np.testing.assert_array_equal(irrun.compile_model(model)(image)[0], image[..., ::-1])


def test_nodes_that_do_not_fit_are_refused_with_the_model() -> None:
    model = _relu()
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

    model = _relu()
    manager = passes.Manager()
    manager.set_per_pass_validation(False)
    manager.register_pass(Doubled())
    manager.register_pass(Doubled())
    assert manager.run_passes(model)
    np.testing.assert_array_equal(irrun.compile_model(model)([np.float32([-1, 3])])[0], [0, 12])
