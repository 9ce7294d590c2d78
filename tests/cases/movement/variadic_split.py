from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64

BLOCK = f32(np.arange(6 * 12 * 10 * 24).reshape(6, 12, 10, 24))

CASES = [
    Case(
        "VariadicSplit",
        1,
        [BLOCK, i64(0), i64([1, 2, 3])],
        [BLOCK[:1], BLOCK[1:3], BLOCK[3:]],
        source="page",
        name="lengths",
    ),
    Case("VariadicSplit", 1, [BLOCK, i64(0), i64([-1, 2])], [BLOCK[:4], BLOCK[4:]], source="page", name="the-rest"),
    Case(
        "VariadicSplit",
        1,
        [f32([[1, 2, 3]]), i32([-1]), i32([1, -1])],
        [f32([[1]]), f32([[2, 3]])],
        name="negative-axis",
    ),
    Case("VariadicSplit", 1, [f32([1, 2]), i64(0), i64([2, -1])], [f32([1, 2]), f32([])], name="empty-rest"),
    Case(
        "VariadicSplit",
        1,
        [i64([2**60, 1, 2]), i64(0), i64([0, 1, 2])],
        [i64([]), i64([2**60]), i64([1, 2])],
        name="wide",
        departs="64-bit",
    ),
]

INVALID = [
    Invalid(
        "VariadicSplit",
        1,
        [f32([1, 2]), i64(0), i64([1, 2])],
        "split_lengths add up to 3, expected 2, the size of the axis",
        input=2,
    ),
    Invalid(
        "VariadicSplit",
        1,
        ["f32[?]", i64(0), i64([-1, -1])],
        "split_lengths are [-1, -1], expected sizes and at most one -1",
        input=2,
    ),
    Invalid("VariadicSplit", 1, [f32([1, 2]), i64(0), i64([3, -1])], "split_lengths add up to 3, more than 2", input=2),
    Invalid(
        "VariadicSplit", 1, [f32([1, 2]), i64(0), i64([4, -2])], "split_lengths are [4, -2], expected sizes", input=2
    ),
    Invalid("VariadicSplit", 1, [f32([1, 2]), i64(2), i64([1, 1])], "axis 2 is outside a tensor of rank 1", input=1),
    Invalid(
        "VariadicSplit",
        1,
        [f32([1, 2]), i64([0, 0]), i64([1, 1])],
        "axis has shape [2], expected a single element",
        input=1,
    ),
]
