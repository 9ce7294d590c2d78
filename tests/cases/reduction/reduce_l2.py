from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, f64, i32, i64

_DATA = f32([[3, -4], [5, 12]])

CASES = [
    Case("ReduceL2", 4, [_DATA, i64([1])], [f32([5, 13])]),
    Case("ReduceL2", 4, [_DATA, i64([1])], [f32([[5], [13]])], {"keep_dims": True}, name="keep"),
    Case("ReduceL2", 4, [_DATA, i64([0, 1])], [f32(np.sqrt(194))], name="all"),
    Case("ReduceL2", 4, [_DATA, i64([])], [_DATA], name="no_axes", departs="no axes"),
    Case("ReduceL2", 4, [f64([1, 2, 2]), i32(-1)], [f64(3)], name="f64"),
    Case("ReduceL2", 4, [i32([[3, 4], [2, 2]]), i64([1])], [i32([5, 2])], name="integers"),
    Case("ReduceL2", 4, [f32(np.zeros((0, 2))), i64([0])], [f32([0, 0])], name="empty"),
]
INVALID = [
    Invalid("ReduceL2", 4, [_DATA, i64([2])], "axis 2 is outside a tensor of rank 2", input=1),
    Invalid("ReduceL2", 4, [_DATA, i64([[0]])], "input 1 (axes) has rank 2, expected 0 or 1", input=1),
    Invalid("ReduceL2", 4, [_DATA, f32([0])], "input 1 (axes) is f32, expected any integer type", input=1),
    Invalid(
        "ReduceL2", 4, [boolean([[True]]), i64([0])], "input 0 (data) is boolean, expected any numeric type", input=0
    ),
    Invalid("ReduceL2", 4, [_DATA], "ReduceL2 has 1 input, expected 2 (data, axes)"),
]
