from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, i32, i64

_DATA = f32([[1, -2, 3], [4, 5, -6]])

CASES = [
    Case("ReduceProd", 1, [_DATA, i64([1])], [f32([-6, -120])]),
    Case("ReduceProd", 1, [_DATA, i64([-2])], [f32([[4, -10, -18]])], {"keep_dims": True}, name="keep"),
    Case("ReduceProd", 1, [_DATA, i64([0, 1])], [f32(720)], name="all"),
    Case("ReduceProd", 1, [_DATA, i32(0)], [f32([4, -10, -18])], name="scalar_axis"),
    Case("ReduceProd", 1, [_DATA, i64([])], [_DATA], name="no_axes", departs="no axes"),
    Case(
        "ReduceProd",
        1,
        [i64([2**31 + 1, 2**31 - 1]), i64([0])],
        [i64(2**62 - 1)],
        name="i64",
        departs="64-bit",
    ),
    Case("ReduceProd", 1, [i32([[2, 3, 4]]), i64([1])], [i32([24])], name="i32"),
    Case("ReduceProd", 1, [f32(np.zeros((2, 0))), i64([1])], [f32([1, 1])], name="empty"),
]
INVALID = [
    Invalid("ReduceProd", 1, [_DATA, i64([2])], "axis 2 is outside a tensor of rank 2", input=1),
    Invalid("ReduceProd", 1, [_DATA, i64([[0]])], "input 1 (axes) has rank 2, expected 0 or 1", input=1),
    Invalid("ReduceProd", 1, [_DATA, f32([0])], "input 1 (axes) is f32, expected any integer type", input=1),
    Invalid(
        "ReduceProd", 1, [boolean([[True]]), i64([0])], "input 0 (data) is boolean, expected any numeric type", input=0
    ),
    Invalid("ReduceProd", 1, [_DATA], "ReduceProd has 1 input, expected 2 (data, axes)"),
]
