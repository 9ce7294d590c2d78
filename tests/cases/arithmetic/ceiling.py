from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, f64, i64, u8

CASES = [
    Case("Ceiling", 1, [f32([-1.5, -0.5, 0.1, 2, np.inf])], [f32([-1, -0.0, 1, 2, np.inf])], name="floats"),
    Case(
        "Ceiling",
        1,
        [i64([-3, 2**53 + 1])],
        [i64([-3, 2**53 + 1])],
        name="integers",
        departs="64-bit",
    ),
    Case("Ceiling", 1, [u8([0, 200])], [u8([0, 200])], name="u8"),
    Case("Ceiling", 1, [f64([[0.5, np.nan]])], [f64([[1, np.nan]])], name="f64"),
]
INVALID = [
    Invalid("Ceiling", 1, [boolean([True])], "input 0 (data) is boolean, expected any numeric type", input=0),
]
