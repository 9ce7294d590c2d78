from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64

TABLE = f32([[1, 2, 3], [4, 5, 6]])

CASES = [
    Case("Unsqueeze", 1, [TABLE, i64([0, 3])], [TABLE.reshape(1, 2, 3, 1)], source="page", name="two-axes"),
    Case("Unsqueeze", 1, [f32(5), i64([0])], [f32([5])], source="page", name="scalar"),
    Case("Unsqueeze", 1, [TABLE, i32(1)], [TABLE.reshape(2, 1, 3)], name="scalar-axis"),
    Case("Unsqueeze", 1, [TABLE, i64([-1, 0])], [TABLE.reshape(1, 2, 3, 1)], name="negative"),
    Case("Unsqueeze", 1, [TABLE, i64([0, 0])], [TABLE.reshape(1, 2, 3)], name="axis-twice"),
    Case("Unsqueeze", 1, [TABLE, i64([])], [TABLE], name="no-axes", departs="no axes"),
    Case("Unsqueeze", 1, [i64([2**60]), i64([0])], [i64([[2**60]])], name="wide", departs="64-bit"),
    Case("Unsqueeze", 1, [f32(np.zeros((0,))), i64([1])], [f32(np.zeros((0, 1)))], name="empty"),
]

INVALID = [
    Invalid("Unsqueeze", 1, [TABLE, i64([3])], "axis 3 is outside a tensor of rank 3", input=1),
    Invalid("Unsqueeze", 1, [TABLE, i64([[0]])], "input 1 (axes) has rank 2, expected 0 or 1", input=1),
    Invalid("Unsqueeze", 1, [TABLE, "boolean[1]"], "input 1 (axes) is boolean, expected any integer type", input=1),
    Invalid("Unsqueeze", 1, [TABLE], "Unsqueeze has 1 input, expected 2 (data, axes)"),
]
