from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, f64, i32

CASES = [
    Case(
        "IsNaN",
        10,
        [f32([np.nan, 2.1, 3.7, np.nan, np.inf])],
        [boolean([True, False, False, True, False])],
        source="page",
        name="page",
    ),
    Case("IsNaN", 10, [f32([[-np.inf], [0]])], [boolean([[False], [False]])], types={0: "f16"}, name="f16"),
    Case("IsNaN", 10, [f64(1e308)], [boolean(False)], name="f64_scalar"),
]
INVALID = [
    Invalid("IsNaN", 10, [i32([1])], "input 0 (data) is i32, expected any float type", input=0),
]
