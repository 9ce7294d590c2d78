from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, i32, i64

_DATA = f32([[1, -2, 3], [-4, 5, -6]])

CASES = [
    Case("ReduceL1", 4, [_DATA, i64([1])], [f32([6, 15])]),
    Case("ReduceL1", 4, [_DATA, i64([0])], [f32([[5, 7, 9]])], {"keep_dims": True}, name="keep"),
    Case("ReduceL1", 4, [_DATA, i64([-1, 0])], [f32(21)], name="all"),
    Case("ReduceL1", 4, [_DATA, i32(-2)], [f32([5, 7, 9])], name="scalar_axis"),
    Case("ReduceL1", 4, [_DATA, i64([])], [_DATA], name="no_axes", departs="no axes"),
    Case("ReduceL1", 4, [f32(-2), i64([0])], [f32(2)], name="scalar"),
    Case("ReduceL1", 4, [i32([[-7, 7], [1, -1]]), i64([1])], [i32([14, 2])], name="integers"),
    Case("ReduceL1", 4, [f32(np.zeros((2, 0, 3))), i64([1])], [f32(np.zeros((2, 3)))], name="empty"),
]
INVALID = [
    Invalid("ReduceL1", 4, [_DATA, i64([2])], "axis 2 is outside a tensor of rank 2", input=1),
    Invalid("ReduceL1", 4, [_DATA, i64([[0]])], "input 1 (axes) has rank 2, expected 0 or 1", input=1),
    Invalid("ReduceL1", 4, [_DATA, f32([0])], "input 1 (axes) is f32, expected any integer type", input=1),
    Invalid(
        "ReduceL1", 4, [boolean([[True]]), i64([0])], "input 0 (data) is boolean, expected any numeric type", input=0
    ),
    Invalid("ReduceL1", 4, [_DATA], "ReduceL1 has 1 input, expected 2 (data, axes)"),
    Invalid("ReduceL1", 4, [f32(1), i64([1])], "axis 1 is outside a tensor of rank 1", input=1),
]
