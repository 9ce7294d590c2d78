"""A model that refuses a shape stays as it was, and one that accepts it is changed only where sizes are written down."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np
import pytest

import irrun.openvino as ov
from tests.openvino.new_sizes import MODELS, sunk

REFUSING = ("flat, relu between", "flat, three axes", "sunk, bias of samples", "sequence")


def _text(model: ov.Model) -> bytes:
    xml, weights = BytesIO(), BytesIO()
    ov.serialize(model, xml, weights)
    return xml.getvalue()


def _read(model: ov.Model) -> ov.Model:
    xml, weights = BytesIO(), BytesIO()
    ov.serialize(model, xml, weights)
    return ov.Core().read_model(xml.getvalue(), weights.getvalue())


@pytest.mark.parametrize("name", REFUSING)
def test_a_refused_shape_changes_nothing(name: str) -> None:
    model = _read(MODELS[name](ov))
    before = _text(model)
    with pytest.raises(RuntimeError, match=r"elements|broadcast|batch"):
        model.reshape([4, *list(model.input().shape)[1:]])
    assert _text(model) == before


def test_relaxed_sizes_are_put_back_where_another_layer_refuses_the_shape() -> None:
    ops = ov.opset13
    x = ops.parameter([1, 3, 4], np.float32, name="x")
    flat = ops.reshape(x, ops.constant(np.array([1, 12])), False)
    product = ops.matmul(flat, ops.constant(np.ones((12, 5), np.float32)), False, False)
    other = ops.reshape(x, ops.constant(np.array([3, 4])), False)
    model = _read(ov.Model([product, other], [x], "both"))
    before = _text(model)
    with pytest.raises(RuntimeError, match=r"shape \[3,4\] has 12 elements, but data \[4,3,4\] have 48"):
        model.reshape([4, 3, 4])
    assert _text(model) == before
    assert ov.compile_model(model)([np.ones((1, 3, 4), np.float32)])[0].tolist() == [[12] * 5]


def test_relaxed_samples_are_put_back() -> None:
    """With the attributes of the layers that put samples together again."""
    ops = ov.opset13
    x = ops.parameter([1, 3, 4], np.float32, name="x")
    flat = ops.reshape(x, ops.constant(np.array([-1, 4])), False)
    product = ops.matmul(flat, ops.constant(np.ones((4, 5), np.float32)), False, False)
    samples = ops.relu(ops.reshape(product, ops.constant(np.array([1, 3, 5])), False))
    other = ops.reshape(x, ops.constant(np.array([3, 4])), False)
    model = _read(ov.Model([samples, other], [x], "both"))
    before = _text(model)
    with pytest.raises(RuntimeError, match=r"shape \[3,4\] has 12 elements, but data \[4,3,4\] have 48"):
        model.reshape([4, 3, 4])
    assert _text(model) == before


@pytest.mark.parametrize("shape", ["...", "?,5", "12,5"])
def test_only_a_known_factor_tells_the_common_size(shape: str) -> None:
    ops = ov.opset13
    x = ops.parameter([1, 3, 4], np.float32, name="x")
    y = ops.parameter(ov.PartialShape(f"[{shape}]" if shape != "..." else shape), np.float32, name="y")
    flat = ops.reshape(x, ops.constant(np.array([1, 12])), False)
    model = _read(ov.Model([ops.matmul(flat, y, False, False)], [x, y], "both"))
    sizes = {model.input(0): [4, 3, 4]}
    if shape == "12,5":
        model.reshape(sizes)
        assert list(model.output().shape) == [4, 5]
    else:
        with pytest.raises(RuntimeError, match=r"shape \[1,12\] has 12 elements, but data \[4,3,4\] have 48"):
            model.reshape(sizes)


@pytest.mark.parametrize("name", ["flat", "sunk", "cell", "iterated"])
def test_the_same_shape_changes_nothing(name: str) -> None:
    model = _read(MODELS[name](ov))
    before = _text(model)
    model.reshape(list(model.input().shape))
    assert _text(model) == before


def _patterns(model: ov.Model) -> list[Any]:
    nodes = [node for node in model.get_ordered_ops() if node.get_type_name() == "Reshape"]
    return [[node.input_value(1).node.data.tolist(), node.get_attributes()["special_zero"]] for node in nodes]


def test_a_product_of_flattened_samples_takes_its_sizes_from_its_input() -> None:
    model = sunk([-1, 4], [1, 3, 5])(ov)
    assert _patterns(model) == [[[-1, 4], False], [[1, 3, 5], False]]
    model.reshape([2, 3, 4])
    assert _patterns(model) == [[[0, 0, 4], True], [[0, 3, 5], True]]


def test_a_factor_takes_its_size_from_the_other_one() -> None:
    model = MODELS["flat"](ov)
    model.reshape([2, 3, 4])
    assert _patterns(model) == [[[-1, 12], False]]
    assert ov.compile_model(_read(model))([np.ones((2, 3, 4), np.float32)])[0].tolist() == [[12] * 5] * 2


def test_a_variable_covers_its_initial_value() -> None:
    """Also where sizes are open, in models without any constant: each call refuses, and the model stays as it was."""
    util, ops = ov.op.util, ov.opset13

    def built(shape: list[int]) -> ov.Model:
        info = util.VariableInfo()
        info.data_shape, info.data_type, info.variable_id = ov.PartialShape([4, 3]), ov.Type.f32, "v"
        x = ops.parameter(shape, np.float32, name="x")
        read = ov.op.read_value(x, util.Variable(info))
        return ov.Model([ops.result(ops.relu(read))], [ov.op.assign(read, util.Variable(info))], [x], "counter")

    model = built([4, 3])
    before = _text(model)
    for shape in ([-1, 3], [4, -1], [5, 3]):
        with pytest.raises(RuntimeError, match=r"expected one that \[4,3\] covers"):
            built(shape)
        with pytest.raises(RuntimeError, match=r"expected one that \[4,3\] covers"):
            model.reshape(shape)
        assert _text(model) == before
