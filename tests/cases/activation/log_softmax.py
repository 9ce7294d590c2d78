from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, f64

CASES = [
    Case("LogSoftmax", 5, [f32([[0, 0], [np.log(3), 0]])], [f32(np.log([[0.5, 0.5], [0.75, 0.25]]))]),
    Case(
        "LogSoftmax",
        5,
        [f32([[0, 0], [np.log(3), 0]])],
        [f32(np.log([[0.25, 0.5], [0.75, 0.5]]))],
        {"axis": 0},
        name="first",
    ),
    Case(
        "LogSoftmax",
        5,
        [f32([[[0], [0], [0], [0]]])],
        [f32(np.full((1, 4, 1), -np.log(4)))],
        {"axis": -2},
        name="negative",
    ),
    Case("LogSoftmax", 5, [f32([[1000, 0, -1000]])], [f32([[0, -1000, -2000]])], {"axis": -1}, name="large"),
    Case("LogSoftmax", 5, [f64([3, 3])], [f64(np.log([0.5, 0.5]))], {"axis": 0}, name="f64"),
    Case("LogSoftmax", 5, [f32(2)], [f32(0)], {"axis": 0}, name="scalar"),
    Case("LogSoftmax", 5, [f32(np.zeros((2, 0)))], [f32(np.zeros((2, 0)))], name="empty"),
]
INVALID = [
    Invalid("LogSoftmax", 5, [f32([[1]])], "axis 2 is outside a tensor of rank 2", {"axis": 2}, attribute="axis"),
    Invalid("LogSoftmax", 5, ["f32[?]"], "axis 1 is outside a tensor of rank 1", attribute="axis"),
]
