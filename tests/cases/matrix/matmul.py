from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, f64, i32, i64

_A = f32([[1, 2, 3], [4, 5, 6]])
_B = f32([[1, 0], [0, 1], [1, 1]])
_STACK = f32(np.arange(12).reshape(2, 2, 3))

CASES = [
    Case("MatMul", 1, [_A, _B], [f32([[4, 5], [10, 11]])], name="matrices"),
    Case("MatMul", 1, [f32([1, 2, 3]), f32([4, 5, 6])], [f32(32)], name="two vectors"),
    Case("MatMul", 1, [f32([1, 2]), _A], [f32([9, 12, 15])], name="row and matrix"),
    Case("MatMul", 1, [_A, f32([1, 0, -1])], [f32([-2, -2])], name="matrix and column"),
    Case("MatMul", 1, [_A.T.copy(), _B], [f32([[4, 5], [10, 11]])], {"transpose_a": True}, name="first transposed"),
    Case("MatMul", 1, [_A, _B.T.copy()], [f32([[4, 5], [10, 11]])], {"transpose_b": True}, name="second transposed"),
    Case(
        "MatMul",
        1,
        [f32([1, 2, 3]), f32([4, 5, 6])],
        [f32(32)],
        {"transpose_a": True, "transpose_b": True},
        name="vectors are not transposed",
    ),
    Case("MatMul", 1, [_STACK, _B], [f32([[[2, 3], [8, 9]], [[14, 15], [20, 21]]])], name="stack and matrix"),
    Case("MatMul", 1, [f32([1, 1]), _STACK], [f32([[3, 5, 7], [15, 17, 19]])], name="row and stack"),
    Case(
        "MatMul",
        1,
        [f32(np.ones((2, 1, 1, 3))), f32(np.ones((4, 3, 2)))],
        [f32(np.full((2, 4, 1, 2), 3))],
        name="stacks broadcast",
    ),
    Case(
        "MatMul",
        1,
        [f32(np.ones((2, 0))), f32(np.ones((0, 3)))],
        [f32(np.zeros((2, 3)))],
        name="nothing to sum",
        departs="empty",
    ),
    Case("MatMul", 1, [f32(np.ones((0, 2))), f32(np.ones((2, 3)))], [f32(np.zeros((0, 3)))], name="no rows"),
    Case(
        "MatMul",
        1,
        [f64([[1e-9, 1]]), f64([[1], [1]])],
        [f64([[1.000000001]])],
        name="f64",
        rtol=1e-15,
    ),
    Case("MatMul", 1, [i32([[1, -2], [3, 4]]), i32([[5], [6]])], [i32([[-7], [39]])], name="i32"),
    Case(
        "MatMul",
        1,
        [i64([[2**53 + 1, 1]]), i64([[1], [2]])],
        [i64([[2**53 + 3]])],
        name="i64 beyond f64",
        departs="64-bit",
    ),
    Case(
        "MatMul",
        1,
        [np.full((200, 200), 100, np.int8), np.full((200, 2), 100, np.int8)],
        [np.full((200, 2), (200 * 100 * 100 + 128) % 256 - 128, np.int8)],
        name="i8 wraps around",
        departs="8-bit",
    ),
    Case("MatMul", 1, [f32([[np.inf, 1]]), f32([[1], [np.nan]])], [f32([[np.nan]])], name="not finite"),
]
INVALID = [
    Invalid("MatMul", 1, [_A, _A], "rows of 3 and columns of 2", input=1),
    Invalid("MatMul", 1, ["f32[2,?]", f32(1)], "input 1 is a scalar, expected rank 1 or more", input=1),
    Invalid("MatMul", 1, ["f32[2,3,4]", "f32[3,4,5]"], "do not broadcast: 2 and 3 differ", input=1),
    Invalid("MatMul", 1, [_A, i32([[1], [2], [3]])], "both must have the same type T", input=1),
]
