from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, i32, i64

CASES = [
    Case("Negative", 1, [f32([-1.5, 0.5, np.inf, np.nan])], [f32([1.5, -0.5, -np.inf, np.nan])], name="floats"),
    Case("Negative", 1, [i32([-3, 0, 7])], [i32([3, 0, -7])], name="i32"),
    Case(
        "Negative",
        1,
        [i64([2**53 + 1])],
        [i64([-(2**53) - 1])],
        name="i64_big",
        departs="64-bit",
    ),
    Case("Negative", 1, [np.array([[5, -7]], np.int8)], [np.array([[-5, 7]], np.int8)], name="i8"),
    Case(
        "Negative",
        1,
        [np.array([-128, 127], np.int8)],
        [np.array([-128, -127], np.int8)],
        name="i8 wraps",
        departs="8-bit",
    ),
]
INVALID = [
    Invalid("Negative", 1, [boolean([True])], "input 0 (data) is boolean, expected any numeric type", input=0),
]
