from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64

TABLE = f32(np.arange(1, 13).reshape(4, 3))

CASES = [
    Case(
        "Roll",
        7,
        [TABLE, i64(1), i64(0)],
        [f32([[10, 11, 12], [1, 2, 3], [4, 5, 6], [7, 8, 9]])],
        source="page",
        name="scalars",
    ),
    Case(
        "Roll",
        7,
        [TABLE, i64([-1, 2]), i64([0, 1])],
        [f32([[5, 6, 4], [8, 9, 7], [11, 12, 10], [2, 3, 1]])],
        source="page",
        name="both-axes",
    ),
    Case(
        "Roll",
        7,
        [TABLE, i64([1, 2, 1]), i64([0, 1, 0])],
        [f32([[8, 9, 7], [11, 12, 10], [2, 3, 1], [5, 6, 4]])],
        source="page",
        name="axis-twice",
    ),
    Case(
        "Roll",
        7,
        [f32([[1, 2], [3, 4]]), i32(1), i64([0, -1])],
        [f32([[4, 3], [2, 1]])],
        name="one-shift",
        departs="one shift",
    ),
    Case("Roll", 7, [f32([1, 2, 3]), i64([-7]), i64([0])], [f32([2, 3, 1])], name="far"),
    Case("Roll", 7, [i64([2**60, 1]), i32([1]), i32([0])], [i64([1, 2**60])], name="wide", departs="64-bit"),
    Case("Roll", 7, [f32(np.zeros((0, 2))), i64(3), i64(0)], [f32(np.zeros((0, 2)))], name="empty"),
]

INVALID = [
    Invalid("Roll", 7, [TABLE, i64([1, 2]), i64([0])], "shift has 2 elements, expected 1 as axes", input=1),
    Invalid("Roll", 7, [TABLE, i64(1), i64(2)], "axis 2 is outside a tensor of rank 2", input=2),
    Invalid("Roll", 7, [TABLE, i64([[1]]), i64(0)], "input 1 (shift) has rank 2, expected 0 or 1", input=1),
    Invalid("Roll", 7, [TABLE, f32(1), i64(0)], "input 1 (shift) is f32, expected i32 or i64", input=1),
]
