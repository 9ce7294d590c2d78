"""The messages for arguments that do not fit, and for calls at the wrong time."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import irrun
from irrun.openvino import opset13 as ops
from irrun.openvino import passes
from irrun.openvino.preprocess import ColorFormat, PrePostProcessor
from tests.openvino.running import stateful


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
    from tests.openvino import nets

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
        "variable_id is 5, expected a string",
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
        "the settings of a compiled model are fixed, got NUM_STREAMS; compile_model takes them",
    ),
    "tensor of another model": (
        lambda: irrun.compile_model(_parameter_model()).create_infer_request().get_tensor(_other_port()),
        RuntimeError,
        "is not an output of this model",
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
        lambda: irrun.serialize(_body(), "none.xml", "none.bin", "IR_V9"),
        RuntimeError,
        "version is 'IR_V9', expected UNSPECIFIED, IR_V10 or IR_V11",
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
    "pattern of a text in a list": (lambda: passes.Or(["x"]), TypeError, "'x' is not a pattern"),
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
    "order of axes of any rank": (_layout_of_any_rank, RuntimeError, "the rank of the tensor is dynamic"),
    "height and width of any rank": (_resized_of_any_rank, RuntimeError, "the rank of the tensor is dynamic"),
    "order that is none": (_order_of_other_axes, RuntimeError, "[0, 1, 1, 3] is not an order of 4 axes"),
    "property with two values": (
        lambda: irrun.properties.hint.num_requests(1, 2),
        TypeError,
        "takes int, got 1, 2",
    ),
    "layout of an inner port": (
        lambda: irrun.layout_helpers.set_layout(ops.relu(_parameter()).output(0), irrun.Layout("N")),
        RuntimeError,
        "is not an input or output of a model",
    ),
    "class that is not an operation": (
        lambda: irrun.Core().add_extension(int),
        RuntimeError,
        "Unsupported data type : '<class 'int'>' is passed as an argument. Expected a class that derives from Op",
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


def test_words_that_programs_search_for() -> None:
    words = "Cannot get runtime attribute. Path to runtime attribute is incorrect."
    with pytest.raises(RuntimeError, match=re.escape(words)):
        _body().get_rt_info(["model_info", "labels"])
