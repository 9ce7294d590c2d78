from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, i32, i64, u8

_DATA = i32([[1, 0], [1, 1]])

CASES = [
    Case("NonZero", 3, [_DATA], [i64([[0, 1, 1], [0, 0, 1]])], source="page"),
    Case("NonZero", 3, [_DATA], [i32([[0, 1, 1], [0, 0, 1]])], {"output_type": "i32"}, name="i32"),
    Case("NonZero", 3, [f32([0, -0.0, 1e-30, np.nan])], [i64([[2, 3]])], name="floats"),
    Case("NonZero", 3, [boolean([[[False, True]]])], [i64([[0], [0], [1]])], name="boolean"),
    Case("NonZero", 3, [u8([0, 0])], [i64(np.zeros((1, 0)))], name="none"),
    Case("NonZero", 3, [f32(np.zeros((2, 0)))], [i64(np.zeros((2, 0)))], name="empty"),
    Case("NonZero", 3, [f32(5)], [i64(np.zeros((0, 1)))], name="scalar", departs="scalar"),
]
INVALID = [
    Invalid("NonZero", 3, [], "NonZero has 0 inputs, expected 1 (data)"),
]
