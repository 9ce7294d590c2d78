from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, i32, i64

TABLE = f32([[1, 2, 3], [4, 5, 6]])
BLOCK = f32(np.arange(3 * 4 * 5 * 6).reshape(3, 4, 5, 6))

CASES = [
    Case("Reverse", 1, [BLOCK, i64([1])], [BLOCK[:, ::-1]], {"mode": "index"}, name="one-axis"),
    Case("Reverse", 1, [TABLE, i32([0, 1])], [f32([[6, 5, 4], [3, 2, 1]])], {"mode": "index"}, name="both"),
    Case("Reverse", 1, [TABLE, i64([-1])], [f32([[3, 2, 1], [6, 5, 4]])], {"mode": "index"}, name="negative"),
    Case("Reverse", 1, [TABLE, i64([])], [TABLE], {"mode": "index"}, name="none"),
    Case("Reverse", 1, [TABLE, boolean([True, False])], [f32([[4, 5, 6], [1, 2, 3]])], {"mode": "mask"}, name="mask"),
    Case("Reverse", 1, [TABLE, boolean([False, False])], [TABLE], {"mode": "mask"}, name="empty-mask"),
    Case(
        "Reverse",
        1,
        [i64([2**60, 1]), i64([0])],
        [i64([1, 2**60])],
        {"mode": "index"},
        name="wide",
        departs="64-bit",
    ),
    Case("Reverse", 1, [f32(np.zeros((0, 2))), i64([0])], [f32(np.zeros((0, 2)))], {"mode": "index"}, name="empty"),
]

INVALID = [
    Invalid("Reverse", 1, [TABLE, i64([2])], "axis 2 is outside a tensor of rank 2", {"mode": "index"}, input=1),
    Invalid(
        "Reverse",
        1,
        [TABLE, boolean([True])],
        "axis has 1 element, expected 2, the rank of data",
        {"mode": "mask"},
        input=1,
    ),
    Invalid(
        "Reverse",
        1,
        [TABLE, i64([1, 1])],
        "input 1 (axis) is i64, expected boolean as mode is mask",
        {"mode": "mask"},
        input=1,
    ),
    Invalid(
        "Reverse",
        1,
        [TABLE, boolean([True])],
        "input 1 (axis) is boolean, expected integer as mode is index",
        {"mode": "index"},
        input=1,
    ),
    Invalid("Reverse", 1, [TABLE, i64(0)], "input 1 (axis) has rank 0, expected 1", {"mode": "index"}, input=1),
    Invalid("Reverse", 1, [TABLE, i64([0])], "mode is missing; Reverse requires it", attribute="mode"),
]
