from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, f64, i32, i64, u8

_DATA = f32([[1, -2, 4], [4, 5, -6]])

CASES = [
    Case("ReduceMean", 1, [_DATA, i64([1])], [f32([1, 1])]),
    Case("ReduceMean", 1, [_DATA, i64([0])], [f32([[2.5, 1.5, -1]])], {"keep_dims": True}, name="keep"),
    Case("ReduceMean", 1, [_DATA, i64([0, -1])], [f32(1)], name="all"),
    Case("ReduceMean", 1, [_DATA, i32(1)], [f32([1, 1])], name="scalar_axis"),
    Case("ReduceMean", 1, [_DATA, i64([])], [_DATA], name="no_axes", departs="no axes"),
    Case("ReduceMean", 1, [f64([1, 2]), i64([0])], [f64(1.5)], name="f64"),
    Case("ReduceMean", 1, [i32([[-7, -8], [7, 8], [-1, 0]]), i64([1])], [i32([-7, 7, 0])], name="integers"),
    Case(
        "ReduceMean",
        1,
        [i64([2**60 + 2, 2**60 + 4]), i64([0])],
        [i64(2**60 + 3)],
        name="i64",
        departs="64-bit",
    ),
    Case(
        "ReduceMean",
        1,
        [u8([255, 254, 250]), i64([0])],
        [u8(253)],
        name="u8",
        departs="8-bit",
    ),
    Case("ReduceMean", 1, [f32(np.zeros((2, 0))), i64([1])], [f32([0, 0])], name="empty"),
]
INVALID = [
    Invalid("ReduceMean", 1, [_DATA, i64([2])], "axis 2 is outside a tensor of rank 2", input=1),
    Invalid("ReduceMean", 1, [_DATA, i64([[0]])], "input 1 (axes) has rank 2, expected 0 or 1", input=1),
    Invalid("ReduceMean", 1, [_DATA, f32([0])], "input 1 (axes) is f32, expected any integer type", input=1),
    Invalid(
        "ReduceMean", 1, [boolean([[True]]), i64([0])], "input 0 (data) is boolean, expected any numeric type", input=0
    ),
    Invalid("ReduceMean", 1, [_DATA], "ReduceMean has 1 input, expected 2 (data, axes)"),
]
