from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, f64, i32

CASES = [
    Case(
        "IsFinite",
        10,
        [f32([np.nan, 2.1, 3.7, np.inf])],
        [boolean([False, True, True, False])],
        source="page",
        name="page",
    ),
    Case("IsFinite", 10, [f32([[-np.inf], [0]])], [boolean([[False], [True]])], types={0: "f16"}, name="f16"),
    Case("IsFinite", 10, [f64(1e308)], [boolean(True)], name="f64_scalar"),
]
INVALID = [
    Invalid("IsFinite", 10, [i32([1])], "input 0 (data) is i32, expected any float type", input=0),
]
