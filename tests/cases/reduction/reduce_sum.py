from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, i32, i64, u8

_DATA = f32([[1, -2, 3], [4, 5, -6]])

CASES = [
    Case("ReduceSum", 1, [_DATA, i64([1])], [f32([2, 3])]),
    Case("ReduceSum", 1, [_DATA, i64([-2])], [f32([[5, 3, -3]])], {"keep_dims": True}, name="keep"),
    Case("ReduceSum", 1, [_DATA, i64([0, 1])], [f32(5)], name="all"),
    Case("ReduceSum", 1, [f32(np.ones((2, 3, 4))), i64([2, 0])], [f32([8, 8, 8])], name="outer"),
    Case("ReduceSum", 1, [_DATA, i32(0)], [f32([5, 3, -3])], name="scalar_axis"),
    Case("ReduceSum", 1, [_DATA, i64([])], [_DATA], name="no_axes", departs="no axes"),
    Case("ReduceSum", 1, [f32(1.5), i64([])], [f32(1.5)], name="scalar"),
    Case(
        "ReduceSum",
        1,
        [i64([2**60, 1]), i64([0])],
        [i64(2**60 + 1)],
        name="i64",
        departs="64-bit",
    ),
    Case("ReduceSum", 1, [u8([200, 100]), i64([0])], [u8(44)], name="u8", departs="8-bit"),
    Case("ReduceSum", 1, [f32([np.inf, -np.inf]), i64([0])], [f32(np.nan)], name="infinite"),
    Case("ReduceSum", 1, [f32(np.zeros((2, 0, 3))), i64([1])], [f32(np.zeros((2, 3)))], name="empty"),
]
INVALID = [
    Invalid("ReduceSum", 1, [_DATA, i64([2])], "axis 2 is outside a tensor of rank 2", input=1),
    Invalid("ReduceSum", 1, [_DATA, i64([[0]])], "input 1 (axes) has rank 2, expected 0 or 1", input=1),
    Invalid("ReduceSum", 1, [_DATA, f32([0])], "input 1 (axes) is f32, expected any integer type", input=1),
    Invalid(
        "ReduceSum", 1, [boolean([[True]]), i64([0])], "input 0 (data) is boolean, expected any numeric type", input=0
    ),
    Invalid("ReduceSum", 1, [_DATA], "ReduceSum has 1 input, expected 2 (data, axes)"),
    Invalid("ReduceSum", 1, [_DATA, i64([1, -1])], "2 axes are listed, but only 1 different ones", input=1),
]
