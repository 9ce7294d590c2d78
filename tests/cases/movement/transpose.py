from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64

CUBE = f32(np.arange(24).reshape(2, 3, 4))

CASES = [
    Case("Transpose", 1, [CUBE, i64([2, 0, 1])], [f32(np.moveaxis(CUBE, 2, 0))], source="page", name="order"),
    Case("Transpose", 1, [CUBE, i64([])], [f32(CUBE.T)], source="page", name="inverted"),
    Case("Transpose", 1, [f32([[1, 2, 3], [4, 5, 6]]), i32([1, 0])], [f32([[1, 4], [2, 5], [3, 6]])], name="matrix"),
    Case("Transpose", 1, [f32(np.zeros((0, 2))), i64([1, 0])], [f32(np.zeros((2, 0)))], name="empty"),
    Case("Transpose", 1, [f32(3), i64([])], [f32(3)], name="scalar"),
    Case("Transpose", 1, [i64([[2**60], [1]]), i64([1, 0])], [i64([[2**60, 1]])], name="wide", departs="64-bit"),
]

INVALID = [
    Invalid("Transpose", 1, [CUBE, i64([0, 1])], "input_order has 2 elements, expected 3 or none", input=1),
    Invalid("Transpose", 1, [CUBE, i64([0, 1, 1])], "input_order is [0, 1, 1], expected each of 0 to 2 once", input=1),
    Invalid(
        "Transpose", 1, [CUBE, i64([0, 1, -1])], "input_order is [0, 1, -1], expected each of 0 to 2 once", input=1
    ),
    Invalid("Transpose", 1, [CUBE, i64([[0, 1, 2]])], "input 1 (input_order) has rank 2, expected 1", input=1),
]
