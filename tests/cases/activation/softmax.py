from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, f64, i32

_DATA = f32([[0, 0], [np.log(3), 0]])

CASES = [
    Case("SoftMax", 1, [_DATA], [f32([[0.5, 0.5], [0.75, 0.25]])]),
    Case("SoftMax", 1, [_DATA], [f32([[0.25, 0.5], [0.75, 0.5]])], {"axis": 0}, name="first"),
    Case("SoftMax", 8, [_DATA], [f32([[0.5, 0.5], [0.75, 0.25]])]),
    Case("SoftMax", 8, [_DATA], [f32([[0.25, 0.5], [0.75, 0.5]])], {"axis": -2}, name="negative"),
    Case("SoftMax", 8, [f32([[1000, 1000], [-1000, 0]])], [f32([[0.5, 0.5], [0, 1]])], {"axis": -1}, name="large"),
    Case("SoftMax", 8, [f32([[-np.inf, 0, 0]])], [f32([[0, 0.5, 0.5]])], {"axis": 1}, name="masked"),
    Case("SoftMax", 8, [f32(np.zeros((2, 3, 1, 4)))], [f32(np.full((2, 3, 1, 4), 1 / 3))], {"axis": 1}, name="nchw"),
    Case("SoftMax", 8, [f64([3, 3, 3, 3])], [f64([0.25] * 4)], {"axis": 0}, name="f64"),
    Case("SoftMax", 8, [i32([[1, 2]])], [i32([[0, 1]])], name="integers"),
    Case("SoftMax", 8, [f32(7)], [f32(1)], {"axis": 0}, name="scalar"),
    Case("SoftMax", 8, [f32(np.zeros((2, 0)))], [f32(np.zeros((2, 0)))], name="empty"),
]
INVALID = [
    Invalid("SoftMax", 1, [f32([[1]])], "axis is -1, expected >= 0", {"axis": -1}, attribute="axis"),
    Invalid("SoftMax", 1, [f32([1])], "axis 1 is outside a tensor of rank 1", attribute="axis"),
    Invalid("SoftMax", 8, ["f32[?,?]"], "axis -3 is outside a tensor of rank 2", {"axis": -3}, attribute="axis"),
]
