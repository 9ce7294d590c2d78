from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, i32, i64, u8

CASES = [
    Case("Sign", 1, [f32([-1.5, 0, 2, -np.inf, np.nan])], [f32([-1, 0, 1, -1, np.nan])], source="page", name="floats"),
    Case("Sign", 1, [i32([-3, 0, 7])], [i32([-1, 0, 1])], name="i32"),
    Case(
        "Sign",
        1,
        [i64([-(2**40), 2**62])],
        [i64([-1, 1])],
        name="i64_big",
        departs="64-bit",
    ),
    Case("Sign", 1, [u8([0, 200])], [u8([0, 1])], name="u8"),
]
INVALID = [
    Invalid("Sign", 1, [boolean([True])], "input 0 (data) is boolean, expected any numeric type", input=0),
]
