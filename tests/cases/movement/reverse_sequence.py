from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64

ROWS = f32([[1, 2, 3, 4], [5, 6, 7, 8]])
TIMES = f32(ROWS.T)

CASES = [
    Case("ReverseSequence", 1, [ROWS, i32([2, 3])], [f32([[2, 1, 3, 4], [7, 6, 5, 8]])], name="default"),
    Case(
        "ReverseSequence",
        1,
        [TIMES, i64([4, 1])],
        [f32([[4, 5], [3, 6], [2, 7], [1, 8]])],
        {"batch_axis": 1, "seq_axis": 0},
        name="time-first",
    ),
    Case(
        "ReverseSequence",
        1,
        [f32(np.arange(12).reshape(2, 1, 3, 2)), i64([2, 3])],
        [f32([[[[2, 3], [0, 1], [4, 5]]], [[[10, 11], [8, 9], [6, 7]]]])],
        {"batch_axis": -4, "seq_axis": -2},
        name="negative-axes",
    ),
    Case("ReverseSequence", 1, [ROWS, f32([2, 4])], [f32([[2, 1, 3, 4], [8, 7, 6, 5]])], name="float-lengths"),
    Case("ReverseSequence", 1, [i64([[2**60, 1]]), i64([2])], [i64([[1, 2**60]])], name="wide", departs="64-bit"),
    Case("ReverseSequence", 1, [f32(np.zeros((0, 3))), i64([])], [f32(np.zeros((0, 3)))], name="empty"),
]

INVALID = [
    Invalid("ReverseSequence", 1, [ROWS, f32([9, 1])], "seq_lengths are [9, 1], expected 1 to", input=1),
    Invalid("ReverseSequence", 1, [f32([1, 2]), i64([1])], "data have rank 1, expected 2 or more", input=0),
    Invalid(
        "ReverseSequence",
        1,
        [ROWS, i64([1])],
        "the batch of data and of seq_lengths must be the same, got 2 and 1",
        input=1,
    ),
    Invalid(
        "ReverseSequence",
        1,
        [ROWS, i64([1, 5])],
        "seq_lengths are [1, 5], expected 1 to 4, the size of axis 1",
        input=1,
    ),
    Invalid(
        "ReverseSequence",
        1,
        [ROWS, i64([1, 1])],
        "axis 2 is outside a tensor of rank 2",
        {"seq_axis": 2},
        attribute="seq_axis",
    ),
    Invalid(
        "ReverseSequence",
        1,
        [ROWS, i64([1, 1])],
        "axis -3 is outside a tensor of rank 2",
        {"batch_axis": -3},
        attribute="batch_axis",
    ),
    Invalid("ReverseSequence", 1, [ROWS, i64([[1, 1]])], "input 1 (seq_lengths) has rank 2, expected 1", input=1),
]
