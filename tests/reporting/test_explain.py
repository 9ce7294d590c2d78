"""Layers in words, with the numbers of the layer."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest

from irrun.document.writer import Handle, Writer
from irrun.model import InputError, Loaded, load
from irrun.model.layers import places_of
from irrun.reporting.explain import explain
from irrun.reporting.explain.explanation import explained
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import F32, I64
from tests.cases import Case, ModelCase, all_cases, all_models
from tests.ops.harness import constants, model, whole
from tests.reporting.models import loaded, looping, network


def words(
    type: str, version: str, shape: str, made: str, data: dict[str, str] | None = None, *constants: Any
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what is said of a layer with one input and constants."""
    ir = Writer("one")
    inputs: list[Handle] = [ir.parameter("x", F32, Shape.parse(shape))]
    for value in constants:
        array = np.asarray(value)
        inputs.append(
            ir.constant(array if array.dtype == "f4" else array.astype("i8"), F32 if array.dtype == "f4" else I64)
        )
    (out,) = ir.layer(type, version, inputs, [Fact(F32, Shape.parse(made))], data or {}, name="it")
    ir.result(out, "y")
    found = explain(load(ir.text.encode(), ir.weights), "it")
    return found.computes, found.shapes


def test_convolution() -> None:
    found = explain(loaded(network()), "conv")
    assert found.computes == (
        "Slide 4 filters of 3x3 over 3 channels, 1x1 apart, padded by 1x1 on both sides.",
        "Each output element is the sum of the products of a filter and the window under it.",
    )
    assert found.shapes == (
        "axis 0: the batch, 1",
        "axis 1: one channel for each filter, 4",
        "axis 2: (8 + 1 + 1 - 3) / 1 + 1 = 8",
        "axis 3: (8 + 1 + 1 - 3) / 1 + 1 = 8",
    )
    assert found.page.endswith("convolution/convolution-1.html")
    assert [(item.name, item.source, item.shape) for item in found.inputs] == [
        ("data", "image", "[1,3,8,8]"),
        ("kernel", "kernel", "[4,3,3,3]"),
    ]
    assert found.outputs[0].readers == (("bias", "Add"),)
    assert found.outputs[0].tensor_names == ("conv",)
    attributes = {item.name: (item.value, item.is_given) for item in found.attributes}
    assert attributes["pads_begin"] == ("1, 1", True)


def test_pooling() -> None:
    found = explain(loaded(network()), "pool")
    assert found.computes == ("The greatest element of each 2x2 window of each channel, 2x2 apart, without padding.",)
    assert found.shapes[1:] == ("axis 2: (8 + 0 + 0 - 2) / 2 + 1 = 4", "axis 3: (8 + 0 + 0 - 2) / 2 + 1 = 4")


def test_broadcast() -> None:
    found = explain(loaded(network()), "bias")
    assert found.computes == ("Each element is a + b.",)
    assert found.shapes[0] == "Shapes are aligned at the last axis and broadcast: [1,4,8,8] and [1,4,1,1]."
    assert found.shapes[3] == "axis 2: 8 and 1 give 8"


def test_reshape() -> None:
    found = explain(loaded(network()), "flat")
    assert found.shapes == (
        "axis 0: 0 copies axis 0 of data, 1 (special_zero)",
        "axis 1: -1 is inferred from the number of elements, 64",
        "elements: 1 * 4 * 4 * 4 = 64",
    )


def test_parameters_and_results() -> None:
    found = loaded(network())
    assert explain(found, "image").computes == ("Input 0 of the model: the caller passes a tensor.",)
    assert explain(found, "scores").computes == ("Output 0 of the model.",)


@pytest.mark.parametrize(
    ("arguments", "computes", "shapes"),
    [
        (
            ("MatMul", "opset1", "2,3,4", "2,3,5", {"transpose_b": "true"}, np.zeros((5, 4), "f4")),
            "The matrix product of 3x4 and 4x5, after the last two axes of b are swapped.",
            "rows of a and columns of b: 3 x 5",
        ),
        (
            ("Transpose", "opset1", "2,3,4", "4,2,3", {}, [2, 0, 1]),
            "The axes in the order 2, 0 and 1.",
            "axis 0: axis 2 of the input, 4",
        ),
        (
            ("ReduceMean", "opset1", "2,3,4", "2,4", {"keep_dims": "false"}, [1]),
            "The mean along axis 1, 3 elements each.",
            "axis 1: 3 elements become one",
        ),
        (
            ("SoftMax", "opset8", "2,10", "2,10", {"axis": "-1"}),
            "Each element x becomes exp(x) divided by the sum of exp(x) along axis 1, which has 10 elements. "
            "The elements along the axis are positive and add up to 1.",
            "The output has the shape of the input, [2,10].",
        ),
        (
            ("Gather", "opset8", "9,4", "2,4", {"batch_dims": "0"}, [5, 7], 0),
            "Take the slices of data at the indices 5 and 7 along axis 0, which has 9 slices.",
            "axes of data after it: [4]",
        ),
        (
            ("Concat", "opset1", "2,3", "2,5", {"axis": "1"}, np.zeros((2, 2), "f4")),
            "Join 2 tensors along axis 1.",
            "axis 1: 3 + 2 = 5",
        ),
        (
            ("Slice", "opset8", "9,4", "3,4", {}, [1], [7], [2], [0]),
            "Take a part of the input, in Python's notation: axis 0: 1:7:2.",
            "[9,4] becomes [3,4]",
        ),
        (
            ("Pad", "opset1", "2,3", "2,6", {"pad_mode": "reflect"}, [0, 1], [0, 2]),
            "Add elements before and after the axes: the reflection of the elements without the edge.",
            "axis 1: 1 + 3 + 2 = 6",
        ),
        (
            ("Clamp", "opset1", "2", "2", {"min": "0", "max": "6"}),
            "Each element is limited to the range from 0 to 6.",
            "The output has the shape of the input, [2].",
        ),
        (
            ("Unsqueeze", "opset1", "2,3", "2,1,3", {}, [1]),
            "Insert axis 1, of size 1; no element moves.",
            "[2,3] with them is [2,1,3]; negative axes count from the end of the result",
        ),
        (
            (
                "MVN",
                "opset6",
                "2,3",
                "2,3",
                {"normalize_variance": "true", "eps": "1e-5", "eps_mode": "inside_sqrt"},
                [1],
            ),
            "Subtract the mean along axis 1, then divide by the standard deviation "
            "(eps 1e-05 is added to the variance).",
            "The output has the shape of the input, [2,3].",
        ),
        (
            ("LRN", "opset1", "1,8,4,4", "1,8,4,4", {"alpha": "0.1", "beta": "0.5", "bias": "1", "size": "5"}, [1]),
            "Local response normalization: each element divided by a power of the squares around it.",
            "The output has the shape of input 0, [1,8,4,4].",
        ),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_words(arguments: Any, computes: str, shapes: str) -> None:
    found = words(*arguments)
    assert found[0][0] == computes
    assert shapes in found[1]


def test_layers_of_a_body(tmp_path: Path) -> None:
    whole_model = looping(tmp_path)
    loop = next(place for place in places_of(whole_model) if place.node.bodies)
    found = explained(whole_model, loop)
    assert found.computes[0].startswith("Run a body of ")
    assert found.bodies[0][0] == "body"
    inner = [place for place in places_of(whole_model) if place.outer is not None]
    texts = [" ".join(explained(whole_model, place).computes) for place in inner if place.node.type == "Parameter"]
    assert any("It is the number of the iteration." in text for text in texts)
    assert any("Later iterations get Result" in text for text in texts)
    assert explain(whole_model, inner[0].name).name == inner[0].name


def test_a_layer_is_found_by_name_tensor_name_and_id() -> None:
    found = loaded(network(names="_layer"))
    assert [explain(found, key).name for key in ("conv_layer", "conv", "3")] == ["conv_layer"] * 3


def test_an_unknown_layer() -> None:
    with pytest.raises(InputError, match='no layer "cnov"; did you mean conv'):
        explain(loaded(network()), "cnov")


def test_a_name_that_two_layers_have() -> None:
    found = loaded(network(), ('name="left"', 'name="right"'))
    with pytest.raises(InputError, match='2 layers are called "right", expected one: give the id or the path, 7'):
        explain(found, "right")
    assert explain(found, "7").type == "Sigmoid"


def test_a_fault_of_the_layer() -> None:
    model = loaded(network(), ('strides="1,1"', 'strides="1"'))
    found = explain(model, "conv")
    assert len(found.faults) == 1
    assert "strides" in found.faults[0]
    assert found.computes


Named = TypeVar("Named", Case, ModelCase)


def by_type(cases: list[Named]) -> dict[str, list[Named]]:
    found: dict[str, list[Named]] = {}
    for case in sorted(cases, key=lambda case: case.type):
        found.setdefault(case.type, []).append(case)
    return found


@pytest.mark.sample(5)
@pytest.mark.parametrize("cases", by_type(all_cases()).values(), ids=by_type(all_cases()).keys())
def test_every_operation_is_explained(cases: list[Case], subtests: pytest.Subtests) -> None:
    for case in cases:
        with subtests.test(case=str(case)):
            for dynamic in (False, True):
                ir, _ = model(case, constants=constants(case), dynamic=dynamic)
                check_all(load(ir.text.encode(), ir.weights))
    ir, _ = model(cases[0], constants=constants(cases[0]))
    for missing in ("<output>.*?</output>", "<edge .*?/>"):
        with subtests.test(missing=missing):
            check_all(load(re.sub(missing, "", ir.text, flags=re.DOTALL).encode(), ir.weights))


@pytest.mark.parametrize("cases", by_type(all_models()).values(), ids=by_type(all_models()).keys())
def test_every_model_of_the_cases_is_explained(cases: list[ModelCase], subtests: pytest.Subtests) -> None:
    for case in cases:
        with subtests.test(case=str(case)):
            ir = whole(case)
            check_all(load(ir.text.encode(), ir.weights))


def check_all(found: Loaded) -> None:
    for place in places_of(found):
        explanation = explained(found, place)
        assert explanation.computes
        assert not [text for text in (*explanation.computes, *explanation.shapes) if "None" in text or not text]
