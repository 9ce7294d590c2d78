from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, i32, i64, u8

CASES = [
    Case("Abs", 1, [f32([-1.5, 0, 2, -np.inf, np.nan])], [f32([1.5, 0, 2, np.inf, np.nan])], name="floats"),
    Case("Abs", 1, [i32([[-3, 0], [7, -(2**31) + 1]])], [i32([[3, 0], [7, 2**31 - 1]])], name="i32"),
    Case(
        "Abs",
        1,
        [i64([-(2**53) - 1, 2**62 + 1])],
        [i64([2**53 + 1, 2**62 + 1])],
        name="i64_big",
        departs="64-bit",
    ),
    Case("Abs", 1, [np.array([-127, 5], np.int8)], [np.array([127, 5], np.int8)], name="i8"),
    Case(
        "Abs", 1, [np.array([-128, 127], np.int8)], [np.array([-128, 127], np.int8)], name="i8 wraps", departs="8-bit"
    ),
    Case("Abs", 1, [u8([0, 200])], [u8([0, 200])], name="u8"),
    Case("Abs", 1, [f32(-2)], [f32(2)], name="scalar"),
]
INVALID = [
    Invalid("Abs", 1, [boolean([True])], "input 0 (data) is boolean, expected any numeric type", input=0),
]
