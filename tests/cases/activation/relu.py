from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, i32, i64, u8

CASES = [
    Case("ReLU", 1, [f32([[-1, 0, 2.5], [-np.inf, np.inf, 1e30]])], [f32([[0, 0, 2.5], [0, np.inf, 1e30]])]),
    Case("ReLU", 1, [f32(np.nan)], [f32(np.nan)], name="nan", departs="nan"),
    Case("ReLU", 1, [i32([-3, 3])], [i32([0, 3])], name="i32"),
    Case(
        "ReLU",
        1,
        [i64([2**53 + 1, -(2**60)])],
        [i64([2**53 + 1, 0])],
        name="i64",
        departs="64-bit",
    ),
    Case("ReLU", 1, [u8([0, 255])], [u8([0, 255])], name="u8"),
    Case("ReLU", 1, [f32(np.zeros((0,)))], [f32(np.zeros((0,)))], name="empty"),
]
INVALID = [
    Invalid("ReLU", 1, [boolean([True])], "input 0 (data) is boolean, expected any numeric type", input=0),
]
