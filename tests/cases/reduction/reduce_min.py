from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, i32, i64, u8

_DATA = f32([[1, -2, 3], [4, 5, -6]])

CASES = [
    Case("ReduceMin", 1, [_DATA, i64([1])], [f32([-2, -6])]),
    Case("ReduceMin", 1, [_DATA, i64([-2])], [f32([[1, -2, -6]])], {"keep_dims": True}, name="keep"),
    Case("ReduceMin", 1, [_DATA, i64([1, 0])], [f32(-6)], name="all"),
    Case("ReduceMin", 1, [_DATA, i32(1)], [f32([[v] for v in (-2, -6)])], {"keep_dims": True}, name="scalar_axis"),
    Case("ReduceMin", 1, [_DATA, i64([])], [_DATA], name="no_axes", departs="no axes"),
    Case(
        "ReduceMin",
        1,
        [i64([2**60 + 3, 2**61]), i64([0])],
        [i64(2**60 + 3)],
        name="i64",
        departs="64-bit",
    ),
    Case("ReduceMin", 1, [u8([[7, 200]]), i64([1])], [u8([7])], name="u8"),
    Case("ReduceMin", 1, [f32([-np.inf, np.inf]), i64([0])], [f32(-np.inf)], name="infinite"),
    Case(
        "ReduceMin",
        1,
        [f32(np.zeros((2, 0))), i64([1])],
        [f32([np.finfo(np.float32).max] * 2)],
        name="empty",
    ),
]
INVALID = [
    Invalid("ReduceMin", 1, [_DATA, i64([2])], "axis 2 is outside a tensor of rank 2", input=1),
    Invalid("ReduceMin", 1, [_DATA, i64([[0]])], "input 1 (axes) has rank 2, expected 0 or 1", input=1),
    Invalid("ReduceMin", 1, [_DATA, f32([0])], "input 1 (axes) is f32, expected any integer type", input=1),
    Invalid(
        "ReduceMin", 1, [boolean([[True]]), i64([0])], "input 0 (data) is boolean, expected any numeric type", input=0
    ),
    Invalid("ReduceMin", 1, [_DATA], "ReduceMin has 1 input, expected 2 (data, axes)"),
]
