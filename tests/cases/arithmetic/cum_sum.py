from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, i32, i64, u8

_ONE_TO_FIVE = f32([1, 2, 3, 4, 5])

CASES = [
    Case("CumSum", 3, [boolean([False, True, False, True]), i32(0)], [boolean([False, True, True, True])], name="bool"),
    Case(
        "CumSum",
        3,
        [_ONE_TO_FIVE, i32(0)],
        [f32([1, 3, 6, 10, 15])],
        {"exclusive": False, "reverse": False},
        source="page",
        name="page_1",
    ),
    Case(
        "CumSum",
        3,
        [_ONE_TO_FIVE, i64(0)],
        [f32([0, 1, 3, 6, 10])],
        {"exclusive": True, "reverse": False},
        source="page",
        name="page_2",
    ),
    Case(
        "CumSum",
        3,
        [_ONE_TO_FIVE, i32(0)],
        [f32([15, 14, 12, 9, 5])],
        {"exclusive": False, "reverse": True},
        source="page",
        name="page_3",
    ),
    Case(
        "CumSum",
        3,
        [_ONE_TO_FIVE, i32(0)],
        [f32([14, 12, 9, 5, 0])],
        {"exclusive": True, "reverse": True},
        source="page",
        name="page_4",
    ),
    Case(
        "CumSum",
        3,
        [f32([[1, 2], [3, 4]])],
        [f32([[1, 2], [4, 6]])],
        name="no_axis",
        departs="optional",
    ),
    Case("CumSum", 3, [i32([[1, 2], [3, 4]]), i64(-1)], [i32([[1, 3], [3, 7]])], name="negative_axis"),
    Case(
        "CumSum",
        3,
        [i32([[1, 2, 3], [4, 5, 6]]), i64(1)],
        [i32([[5, 3, 0], [11, 6, 0]])],
        {"exclusive": True, "reverse": True},
        name="axis_1_exclusive_reverse",
    ),
    Case(
        "CumSum",
        3,
        [i64([2**53, 1, 1]), i64(0)],
        [i64([2**53, 2**53 + 1, 2**53 + 2])],
        name="i64_big",
        departs="64-bit",
    ),
    Case(
        "CumSum",
        3,
        [f32([1, np.inf, 2]), i32(0)],
        [f32([0, 1, np.inf])],
        {"exclusive": True},
        name="exclusive_of_infinity",
    ),
    Case(
        "CumSum",
        3,
        [u8([200, 100, 1]), i32(0)],
        [u8([200, 44, 45])],
        name="u8_wraps",
    ),
    Case(
        "CumSum",
        3,
        [f32(np.zeros((2, 0))), i32(1)],
        [f32(np.zeros((2, 0)))],
        {"exclusive": True},
        name="empty",
    ),
    Case(
        "CumSum",
        3,
        [f32(np.zeros((0, 2))), i32(1)],
        [f32(np.zeros((0, 2)))],
        {"exclusive": True},
        name="empty_across",
    ),
]
INVALID = [
    Invalid("CumSum", 3, [f32(1), i32(0)], "data is a scalar, expected a tensor of rank 1 or more", input=0),
    Invalid("CumSum", 3, [f32([[1]]), i32(2)], "axis 2 is outside a tensor of rank 2", input=1),
    Invalid("CumSum", 3, [f32([[1]]), i32([0, 1])], "axis has shape [2], expected a scalar", input=1),
    Invalid("CumSum", 3, [f32([[1]]), i32([[0]])], "input 1 (axis) has rank 2, expected 0 or 1", input=1),
    Invalid("CumSum", 3, [f32([1]), f32(0)], "input 1 (axis) is f32, expected i32 or i64", input=1),
]
