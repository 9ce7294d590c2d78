from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, f64, i32

_A = f32([[4, 7], [2, 6]])
_INVERSE = f32([[0.6, -0.7], [-0.2, 0.4]])

CASES = [
    Case("Inverse", 14, [_A], [_INVERSE], name="matrix"),
    Case("Inverse", 14, [_A], [_INVERSE.T.copy()], {"adjoint": True}, name="adjoint"),
    Case("Inverse", 14, [f32([[[2]], [[-4]]])], [f32([[[0.5]], [[-0.25]]])], name="stack of 1x1"),
    Case("Inverse", 14, [f32([[0, 1], [1, 0]])], [f32([[0, 1], [1, 0]])], name="needs pivoting"),
    Case("Inverse", 14, [f32(np.zeros((0, 2, 2)))], [f32(np.zeros((0, 2, 2)))], name="empty stack"),
    Case("Inverse", 14, [f64(_A)], [f64(_INVERSE)], name="f64"),
]
INVALID = [
    Invalid("Inverse", 14, [f32([1, 2])], "the input has rank 1, expected 2 or more", input=0),
    Invalid("Inverse", 14, ["f32[3,2,4]"], "the last two sizes must be the same, got 2 and 4", input=0),
    Invalid("Inverse", 14, [i32([[1]])], "input 0 (data) is i32, expected any float type", input=0),
]
