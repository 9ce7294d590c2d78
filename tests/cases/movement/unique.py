from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64, u8

FLAT = f32([[3, 1, 3], [2, 1, 1]])
ROWS = f32([[2, 2], [1, 5], [2, 2], [1, 4]])
WORDS = np.array(["b", "a", "b"], dtype=object)

CASES = [
    Case(
        "Unique", 10, [FLAT], [f32([1, 2, 3]), i64([1, 3, 0]), i64([2, 0, 2, 1, 0, 0]), i64([3, 1, 2])], name="sorted"
    ),
    Case(
        "Unique",
        10,
        [FLAT],
        [f32([3, 1, 2]), i64([0, 1, 3]), i64([0, 1, 0, 2, 1, 1]), i64([2, 3, 1])],
        {"sorted": False},
        name="unsorted",
    ),
    Case(
        "Unique",
        10,
        [ROWS, i64(0)],
        [f32([[1, 4], [1, 5], [2, 2]]), i64([3, 1, 0]), i64([2, 1, 2, 0]), i64([1, 1, 2])],
        name="rows",
        constant=(1,),
    ),
    Case(
        "Unique",
        10,
        [ROWS, i64([-2])],
        [f32([[2, 2], [1, 5], [1, 4]]), i64([0, 1, 3]), i64([0, 1, 0, 2]), i64([2, 1, 1])],
        {"sorted": False},
        name="rows-unsorted",
        constant=(1,),
    ),
    Case(
        "Unique",
        10,
        [f32(ROWS.T), i32([1])],
        [f32([[1, 1, 2], [4, 5, 2]]), i32([3, 1, 0]), i32([2, 1, 2, 0]), i32([1, 1, 2])],
        {"index_element_type": "i32", "count_element_type": "i32"},
        name="columns",
        constant=(1,),
    ),
    Case(
        "Unique",
        10,
        [u8(ROWS), i64(0)],
        [u8([[2, 2], [1, 5], [1, 4]]), i64([0, 1, 3]), i64([0, 1, 0, 2]), i64([2, 1, 1])],
        {"sorted": False},
        name="rows of bytes",
        constant=(1,),
        departs="bytes",
    ),
    Case("Unique", 10, [i64(7)], [i64([7]), i64([0]), i64([0]), i64([1])], name="scalar"),
    Case(
        "Unique",
        10,
        [i64([2**60, 2**60 + 1])],
        [i64([2**60, 2**60 + 1]), i64([0, 1]), i64([0, 1]), i64([1, 1])],
        name="wide",
        departs="64-bit",
    ),
    Case(
        "Unique",
        10,
        [WORDS],
        [np.array(["a", "b"], dtype=object), i64([1, 0]), i64([1, 0, 1]), i64([1, 2])],
        name="strings",
        departs="strings",
    ),
    Case("Unique", 10, [f32([])], [f32([]), i64([]), i64([]), i64([])], name="empty"),
]

INVALID = [
    Invalid("Unique", 10, [ROWS, i64(2)], "axis 2 is outside a tensor of rank 2", input=1),
    Invalid("Unique", 10, [ROWS, i64([0, 1])], "axis has shape [2], expected a single element", input=1),
    Invalid("Unique", 10, [f32(1), i64(0)], "axis is given, but data is a scalar", input=1),
    Invalid("Unique", 10, [ROWS, f32(0)], "input 1 (axis) is f32, expected i32 or i64", input=1),
]
