"""Ports without tensor names are found by the names of their layers, which OpenVINO refuses."""

from __future__ import annotations

import numpy as np
import pytest

import irrun
from irrun.openvino import opset13 as ops


def _nameless() -> irrun.CompiledModel:
    x = ops.parameter([2], np.float32, name="x")
    model = irrun.Model([ops.relu(x)], [x], "nameless")
    model.input().tensor.set_names(set())
    return irrun.compile_model(model, "CPU")


def test_an_input_by_the_name_of_its_layer() -> None:
    compiled = _nameless()
    assert compiled.input(0).get_names() == set()
    request = compiled.create_infer_request()
    (result,) = request.infer({"x": np.array([-1, 2], np.float32)}).values()
    assert result.tolist() == [0, 2]
    request.set_tensor("x", irrun.Tensor(np.array([3, -4], np.float32)))
    assert request.infer()[0].tolist() == [3, 0]


def test_an_unknown_name_lists_the_known() -> None:
    with pytest.raises(RuntimeError, match='no input "image"; the model has x'):
        _nameless().input("image")
