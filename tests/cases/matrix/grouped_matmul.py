from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64

_TOKENS = f32([[1, 2], [3, 4], [5, 6]])
_EXPERTS = f32([[[1, 0], [0, 1], [1, 1]], [[2, 0], [0, 2], [1, -1]]])

CASES = [
    Case(
        "GroupedMatMul",
        17,
        [_TOKENS, _EXPERTS, i32([1, 3])],
        [f32([[1, 2, 3], [6, 8, -1], [10, 12, -1]])],
        name="rows in groups",
    ),
    Case(
        "GroupedMatMul",
        17,
        [_TOKENS, _EXPERTS, i64([0, 2])],
        [f32([[2, 4, -1], [6, 8, -1], [0, 0, 0]])],
        name="an empty group, a row in none",
        departs="empty group",
    ),
    Case(
        "GroupedMatMul",
        17,
        [f32([[[1, 2]], [[3, 4]]]), _EXPERTS],
        [f32([[[1, 2, 3]], [[6, 8, -1]]])],
        name="groups of one size",
    ),
    Case(
        "GroupedMatMul",
        17,
        [i32([[1, 2]]), i32(np.ones((1, 3, 2))), i32([1])],
        [i32([[3, 3, 3]])],
        name="i32",
        departs="integers",
    ),
]
INVALID = [
    Invalid("GroupedMatMul", 17, [_TOKENS, _EXPERTS], "offsets are missing; a 2D mat_a requires them", input=2),
    Invalid("GroupedMatMul", 17, ["f32[2,4,2]", _EXPERTS, i32([1, 3])], "offsets are given with a 3D mat_a", input=2),
    Invalid("GroupedMatMul", 17, ["f32[3,5]", _EXPERTS, i32([1, 3])], "must be the same, got 5 and 2", input=1),
    Invalid(
        "GroupedMatMul", 17, [_TOKENS, _EXPERTS, i32([3])], "the numbers of groups in mat_b and of offsets", input=2
    ),
    Invalid("GroupedMatMul", 17, [_TOKENS, "f32[3,2]", i32([3])], "has rank 2, expected 3", input=1),
]
