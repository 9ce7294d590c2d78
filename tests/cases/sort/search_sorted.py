from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64

_LINE = f32([1, 3, 3, 5])
_TABLE = f32([[1, 3, 5], [2, 4, 6]])

CASES = [
    Case("SearchSorted", 15, [_LINE, f32([0, 1, 3, 4, 6])], [i64([0, 0, 1, 3, 4])], name="before equals"),
    Case(
        "SearchSorted",
        15,
        [_LINE, f32([0, 1, 3, 4, 6])],
        [i64([0, 1, 3, 3, 4])],
        {"right_mode": True},
        name="after equals",
    ),
    Case("SearchSorted", 15, [f32([5, 1, 4, 2, 3])] * 2, [i64([5, 0, 2, 2, 2])], name="bisected though not sorted"),
    Case("SearchSorted", 15, [_LINE, f32([[3], [9]])], [i64([[1], [4]])], name="one sequence for all values"),
    Case("SearchSorted", 15, [_TABLE, f32([[3, 0], [3, 6]])], [i64([[1, 0], [1, 2]])], name="a sequence for each row"),
    Case(
        "SearchSorted",
        15,
        [_TABLE, f32([[3], [6]])],
        [i32([[2], [3]])],
        {"right_mode": True, "output_type": "i32"},
        name="i32",
    ),
    Case(
        "SearchSorted",
        15,
        [i64([2**53, 2**53 + 1]), i64([2**53 + 1])],
        [i64([1])],
        name="i64",
        departs="64-bit",
    ),
    Case(
        "SearchSorted",
        15,
        [f32([]), f32([1, 2])],
        [i64([0, 0])],
        name="empty sequence",
        departs="empty",
    ),
    Case("SearchSorted", 15, [_LINE, f32(np.zeros((2, 0)))], [i64(np.zeros((2, 0)))], name="no values"),
]
INVALID = [
    Invalid("SearchSorted", 15, [_TABLE, f32([1, 2])], "values have rank 1, expected 2", input=1),
    Invalid("SearchSorted", 15, [_TABLE, f32([[1]])], "sizes 0 of both inputs must be the same, got 2 and 1", input=1),
    Invalid("SearchSorted", 15, [f32(1), f32([1])], "the sorted sequence is a scalar", input=0),
    Invalid("SearchSorted", 15, [_LINE, i32([1])], "both must have the same type T", input=1),
]
