from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, i32, i64

_LINE = i64([0, 3, 1, 2])
_LINE_OUT = [[1, 2, 2], [2, 2, 2], [2, 1, 2], [2, 2, 1]]
_TABLE = i64([[0, 3, 1], [1, 2, 4]])
_TABLE_OUT = [[[1, 0, 0], [0, 0, 1], [0, 0, 0]], [[0, 0, 0], [1, 0, 0], [0, 1, 0]]]
_DEPTH = i64(3)

CASES = [
    Case("OneHot", 1, [_LINE, _DEPTH, i32(1), i32(2)], [i32(_LINE_OUT)], {"axis": -1}, "page", "last axis"),
    Case("OneHot", 1, [_TABLE, _DEPTH, f32(1), f32(0)], [f32(_TABLE_OUT)], {"axis": 1}, "page", "middle axis"),
    Case("OneHot", 1, [i64(1), _DEPTH, f32(5), f32(-1)], [f32([-1, 5, -1])], {"axis": 0}, name="scalar"),
    Case(
        "OneHot", 1, [i64([-1, 0]), _DEPTH, i32(1), i32(0)], [i32([[0, 0, 0], [1, 0, 0]])], {"axis": 1}, name="negative"
    ),
    Case(
        "OneHot",
        1,
        [i64([2, 0]), _DEPTH, boolean(True), boolean(False)],
        [boolean([[False, True], [False, False], [True, False]])],
        {"axis": 0},
        name="boolean, first axis",
    ),
    Case(
        "OneHot",
        1,
        [i64(np.zeros((0, 2))), _DEPTH, f32(1), f32(0)],
        [f32(np.zeros((0, 2, 3)))],
        {"axis": -1},
        name="empty",
    ),
    Case(
        "OneHot",
        16,
        [i64([0, -5, -2, 2]), _DEPTH, i32(1), i32(2)],
        [i32(_LINE_OUT)],
        {"axis": -1, "negative_indices_mode": "normalize"},
        "page",
        "normalize",
    ),
    Case("OneHot", 16, [_TABLE, _DEPTH, f32(1), f32(0)], [f32(_TABLE_OUT)], {"axis": 1}, "page", "middle axis"),
    Case("OneHot", 16, [i32([-1, 1]), i32(2), f32(1), f32(0)], [f32([[0, 0], [0, 1]])], {"axis": -1}, name="ignored"),
]
INVALID = [
    Invalid("OneHot", 1, [_LINE, _DEPTH, f32(1), f32(0)], "axis is missing", attribute="axis"),
    Invalid(
        "OneHot",
        1,
        [_LINE, _DEPTH, f32(1), f32(0)],
        "axis 2 is outside a tensor of rank 2",
        {"axis": 2},
        attribute="axis",
    ),
    Invalid("OneHot", 1, [_LINE, i64(0), f32(1), f32(0)], "depth is 0, expected 1 or more", {"axis": 0}, input=1),
    Invalid("OneHot", 1, [_LINE, i64([3]), f32(1), f32(0)], "has rank 1, expected 0", {"axis": 0}, input=1),
    Invalid("OneHot", 16, [_LINE, _DEPTH, f32(1), i32(0)], "both must have the same type T2", {"axis": 0}, input=3),
    Invalid("OneHot", 16, ["f32[4]", _DEPTH, f32(1), f32(0)], "expected any integer type", {"axis": 0}, input=0),
]
