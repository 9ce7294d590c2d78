from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, i32, i64

_DATA = boolean([[True, False, False], [False, False, False]])

CASES = [
    Case("ReduceLogicalOr", 1, [_DATA, i64([1])], [boolean([True, False])]),
    Case("ReduceLogicalOr", 1, [_DATA, i32([-2])], [boolean([[True, False, False]])], {"keep_dims": True}, name="keep"),
    Case("ReduceLogicalOr", 1, [_DATA, i64([0, 1])], [boolean(True)], name="all"),
    Case("ReduceLogicalOr", 1, [_DATA, i64(0)], [boolean([True, False, False])], name="scalar_axis"),
    Case(
        "ReduceLogicalOr",
        1,
        [_DATA, i64([])],
        [_DATA],
        name="no_axes",
        departs="no axes",
    ),
    Case(
        "ReduceLogicalOr",
        1,
        [boolean(np.zeros((2, 0))), i64([1])],
        [boolean([False, False])],
        name="empty",
    ),
    Case(
        "ReduceLogicalOr",
        1,
        [boolean([[True, False], [False, False]]), i64([1])],
        [boolean([True, False])],
        name="axes_that_vary",
        constant=(),
        departs="varying axes",
    ),
]
INVALID = [
    Invalid("ReduceLogicalOr", 1, [_DATA, i64([2])], "axis 2 is outside a tensor of rank 2", input=1),
    Invalid("ReduceLogicalOr", 1, [_DATA, i64([[0]])], "input 1 (axes) has rank 2, expected 0 or 1", input=1),
    Invalid("ReduceLogicalOr", 1, [_DATA, f32([0])], "input 1 (axes) is f32, expected any integer type", input=1),
    Invalid("ReduceLogicalOr", 1, [f32([[1]]), i64([0])], "input 0 (data) is f32, expected boolean", input=0),
    Invalid("ReduceLogicalOr", 1, [_DATA], "ReduceLogicalOr has 1 input, expected 2 (data, axes)"),
]
