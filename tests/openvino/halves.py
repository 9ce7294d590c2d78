"""Checks of the constants that ``save_model`` stores in f16."""

from __future__ import annotations

from collections.abc import Callable
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from tests.openvino.comparing import Check
from tests.openvino.graphs import F


def _saved(build: Callable[[Any, Any], Any]) -> Check:
    """Return a check of the constants of a model of ``x`` of [1, 4], to which a constant is added at the end."""

    def check(ov: Any) -> Any:
        ops = ov.opset13
        x = ops.parameter([1, 4], F, name="x")
        last = ops.add(build(ops, x), ops.constant(np.array([1, 2, 3, 4], F)))
        with TemporaryDirectory() as folder:
            ov.save_model(ov.Model([last], [x], "m"), f"{folder}/model.xml")
            read = ov.Core().read_model(f"{folder}/model.xml")
            constants = [node for node in read.get_ordered_ops() if node.get_type_name() == "Constant"]
            return [[node.get_element_type(), node.get_value_strings()] for node in constants]

    return check


def _weights(type: Any) -> Callable[[Any, Any], Any]:
    def build(ops: Any, x: Any) -> Any:
        codes = ops.convert(ops.constant(np.ones((4, 4), type)), "f32")
        return ops.matmul(x, ops.multiply(codes, ops.constant(np.ones((4, 1), F))), False, False)

    return build


def _less_a_zero_point(ops: Any, x: Any) -> Any:
    codes = ops.convert(ops.constant(np.ones((4, 4), np.uint8)), "f32")
    centred = ops.subtract(codes, ops.constant(np.ones((4, 1), F)))
    return ops.matmul(x, ops.multiply(centred, ops.constant(np.ones((4, 1), F))), False, False)


_VALUES = {
    "in range": [0.5, 1, 2, 3],
    "of which one is large": [0.5, 1e6, 1, 2],
    "of which one is tiny": [1e-9, 1, 2, 3],
    "of which most are large": [1e6, 1e6, -1e6, 1],
    "of which two are large": [1e6, 1e6, 1, 1],
    "at the bound": [65504, 65519, -65504, 0],
}

CHECKS: dict[str, Check] = {
    **{
        f"halves, values {name}": _saved(
            lambda ops, x, values=values: ops.multiply(x, ops.constant(np.array(values, F)))
        )
        for name, values in _VALUES.items()
    },
    "halves, one number": _saved(lambda ops, x: ops.power(x, ops.constant(F(2)))),
    "halves, f64": _saved(
        lambda ops, x: ops.convert(ops.multiply(ops.convert(x, "f64"), ops.constant(np.ones(4))), "f32")
    ),
    **{
        f"halves, number {number}": _saved(
            lambda ops, x, number=number: ops.divide(ops.add(x, ops.constant(F(number))), x)
        )
        for number in (1e-3, 2, 0.003, 1.2345, 1e6, 0, -0.1)
    },
    "halves, one number in a matrix": _saved(lambda ops, x: ops.maximum(x, ops.constant(F([[0.1]])))),
    "halves, numbers alike": _saved(lambda ops, x: ops.multiply(x, ops.constant(F([1e-3] * 4)))),
    "halves, quantised": _saved(lambda ops, x: ops.fake_quantize(x, F(0), F(1), F(0), F(1), 256)),
    "halves, weights of i8": _saved(_weights(np.int8)),
    "halves, weights of i32": _saved(_weights(np.int32)),
    "halves, weights of f16": _saved(_weights(np.float16)),
    "halves, weights of u8 with a zero point": _saved(_less_a_zero_point),
    "halves, bytes that are not scaled": _saved(
        lambda ops, x: ops.add(x, ops.convert(ops.constant(np.ones(4, np.int8)), "f32"))
    ),
}
