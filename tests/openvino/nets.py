"""Small models of the checks, as texts."""

from __future__ import annotations

import functools

import numpy as np

from tests.nets import Net

SMALL_WEIGHTS = np.array([1, -2, 3], np.float32).tobytes()
COUNTER_WEIGHTS = bytes(8)


@functools.cache
def small(shape: str = "1,3") -> str:
    """``y = relu(x + [1, -2, 3])``, with the tensors x, sum and y."""
    net = Net("small", notes={"made_by": "hand", "group": {"inner": "7"}})
    x, c = net.parameter("x", shape), net.constant(np.frombuffer(SMALL_WEIGHTS, np.float32), name="c")
    total = net.layer("Add", [x, c], name="sum_layer", tensor="sum")
    net.result(net.layer("ReLU", [total], name="relu_layer", tensor="y,yy"), name="result")
    return net.ir.text


@functools.cache
def pair() -> str:
    """Two inputs ``a`` f32[2] and ``b`` f32[2]; two outputs, their sum and their product."""
    net = Net("small")
    inputs = [net.parameter(name, "2") for name in "ab"]
    total = net.layer("Add", inputs, name="sum", tensor="sum")
    product = net.layer("Multiply", inputs, name="product", tensor="product")
    net.result(total, name="r0")
    net.result(product, name="r1")
    return net.ir.text


@functools.cache
def counter() -> str:
    """A variable ``total`` of f32[1,2] to which each run adds its input."""
    net = Net("small")
    x, zero = net.parameter("x", "1,2"), net.constant(np.zeros((1, 2)), name="zero")
    variable = {"variable_id": "total", "variable_type": "f32", "variable_shape": "1,2"}
    read = net.layer("ReadValue", [zero], "1,2", 6, name="read", **variable)
    total = net.layer("Add", [x, read], name="add", tensor="new")
    net.layer("Assign", [total], "1,2", 6, name="write", variable_id="total")
    net.result(total, name="r")
    return net.ir.text
