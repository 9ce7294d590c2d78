from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64

BLOCK = f32(np.arange(6 * 12 * 10 * 24).reshape(6, 12, 10, 24))

CASES = [
    Case(
        "Split",
        1,
        [BLOCK, i64(1)],
        [BLOCK[:, :4], BLOCK[:, 4:8], BLOCK[:, 8:]],
        {"num_splits": 3},
        source="page",
        name="thirds",
    ),
    Case(
        "Split",
        1,
        [f32([[1, 2], [3, 4]]), i32(-1)],
        [f32([[1], [3]]), f32([[2], [4]])],
        {"num_splits": 2},
        name="columns",
    ),
    Case(
        "Split",
        1,
        [i64([2**60, 1]), i64(0)],
        [i64([2**60]), i64([1])],
        {"num_splits": 2},
        name="wide",
        departs="64-bit",
    ),
    Case("Split", 1, [f32([1, 2]), i64(0)], [f32([1, 2])], {"num_splits": 1}, name="whole"),
    Case("Split", 1, [f32([]), i64(0)], [f32([]), f32([])], {"num_splits": 2}, name="empty"),
]

INVALID = [
    Invalid(
        "Split",
        1,
        ["f32[1..2]", i64(0)],
        "axis 0 of size 1..2 does not split into 3 parts of one size",
        {"num_splits": 3},
        input=0,
    ),
    Invalid(
        "Split",
        1,
        [f32([1, 2, 3]), i64(0)],
        "axis 0 of size 3 does not split into 2 parts of one size",
        {"num_splits": 2},
        input=0,
    ),
    Invalid("Split", 1, [f32([1, 2]), i64(1)], "axis 1 is outside a tensor of rank 1", {"num_splits": 2}, input=1),
    Invalid("Split", 1, [f32([1, 2]), i64([0])], "input 1 (axis) has rank 1, expected 0", {"num_splits": 2}, input=1),
    Invalid(
        "Split", 1, [f32([1, 2]), i64(0)], "num_splits is 0, expected >= 1", {"num_splits": 0}, attribute="num_splits"
    ),
    Invalid("Split", 1, [f32([1, 2]), i64(0)], "num_splits is missing; Split requires it", attribute="num_splits"),
]
