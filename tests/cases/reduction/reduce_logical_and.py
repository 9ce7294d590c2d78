from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, i32, i64

_DATA = boolean([[True, True, False], [True, True, True]])

CASES = [
    Case("ReduceLogicalAnd", 1, [_DATA, i64([1])], [boolean([False, True])]),
    Case("ReduceLogicalAnd", 1, [_DATA, i32([-2])], [boolean([[True, True, False]])], {"keep_dims": True}, name="keep"),
    Case("ReduceLogicalAnd", 1, [_DATA, i64([0, 1])], [boolean(False)], name="all"),
    Case("ReduceLogicalAnd", 1, [_DATA, i64(0)], [boolean([True, True, False])], name="scalar_axis"),
    Case(
        "ReduceLogicalAnd",
        1,
        [_DATA, i64([])],
        [_DATA],
        name="no_axes",
        departs="no axes",
    ),
    Case(
        "ReduceLogicalAnd",
        1,
        [boolean(np.zeros((2, 0))), i64([1])],
        [boolean([True, True])],
        name="empty",
    ),
    Case(
        "ReduceLogicalAnd",
        1,
        [boolean([[True, False], [True, True]]), i64([1])],
        [boolean([False, True])],
        name="axes_that_vary",
        constant=(),
        departs="varying axes",
    ),
]
INVALID = [
    Invalid("ReduceLogicalAnd", 1, [_DATA, i64([2])], "axis 2 is outside a tensor of rank 2", input=1),
    Invalid("ReduceLogicalAnd", 1, [_DATA, i64([[0]])], "input 1 (axes) has rank 2, expected 0 or 1", input=1),
    Invalid("ReduceLogicalAnd", 1, [_DATA, f32([0])], "input 1 (axes) is f32, expected any integer type", input=1),
    Invalid("ReduceLogicalAnd", 1, [f32([[1]]), i64([0])], "input 0 (data) is f32, expected boolean", input=0),
    Invalid("ReduceLogicalAnd", 1, [_DATA], "ReduceLogicalAnd has 1 input, expected 2 (data, axes)"),
]
