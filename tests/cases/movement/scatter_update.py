from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64

PAGE = f32([[-1, 1, -1, 3, 4], [-1, 6, -1, 8, 9], [-1, 11, 1, 13, 14]])

CASES = [
    Case(
        "ScatterUpdate",
        3,
        [PAGE, i64([0, 2]), f32([[1, 1], [1, 1], [1, 2]]), i64([1])],
        [f32([[1, 1, 1, 3, 4], [1, 6, 1, 8, 9], [1, 11, 2, 13, 14]])],
        source="page",
        name="columns",
    ),
    Case(
        "ScatterUpdate",
        3,
        [f32([[1, 2], [3, 4]]), i32(1), f32([8, 9]), i32(0)],
        [f32([[1, 2], [8, 9]])],
        name="scalar-index",
        departs="scalar",
    ),
    Case(
        "ScatterUpdate",
        3,
        [f32(np.zeros((2, 4))), i64([[3, 0], [1, 2]]), f32([[[1, 2], [3, 4]], [[5, 6], [7, 8]]]), i64(-1)],
        [f32([[2, 3, 4, 1], [6, 7, 8, 5]])],
        name="2d-indices",
    ),
    Case(
        "ScatterUpdate",
        3,
        [i64([1, 2]), i64([0]), i64([2**60]), i64(0)],
        [i64([2**60, 2])],
        name="wide",
        departs="64-bit",
    ),
    Case(
        "ScatterUpdate",
        3,
        [f32([1, 2]), i64([]), f32([]), i64(0)],
        [f32([1, 2])],
        name="nothing",
    ),
]

INVALID = [
    Invalid(
        "ScatterUpdate",
        3,
        [PAGE, i64([0, 2]), f32([[1, 1]] * 2), i64(1)],
        "updates have shape [2,2], expected [3,2]",
        input=2,
    ),
    Invalid("ScatterUpdate", 3, [PAGE, i64([0]), f32([1]), i64(1)], "updates have rank 1, expected 2", input=2),
    Invalid("ScatterUpdate", 3, [PAGE, i64([0]), "f32[?,?]", i64(2)], "axis 2 is outside a tensor of rank 2", input=3),
    Invalid(
        "ScatterUpdate", 3, [PAGE, i64([0]), i64([[1]]), i64(0)], "input 2 (updates) is i64 but input 0 is f32", input=2
    ),
    Invalid(
        "ScatterUpdate",
        3,
        [PAGE, f32([0]), f32([[1]]), i64(0)],
        "input 1 (indices) is f32, expected any integer type",
        input=1,
    ),
]
