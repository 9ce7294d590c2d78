from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, f64, i32

CASES = [
    Case("Exp", 1, [f32([[0, 1, -1]])], [f32([[1, np.e, 1 / np.e]])]),
    Case(
        "Exp",
        1,
        [f32([88.5, 100, -np.inf, np.inf, np.nan])],
        [f32([2.7230879e38, np.inf, 0, np.inf, np.nan])],
        name="limits",
        departs="limits",
    ),
    Case("Exp", 1, [f64(2)], [f64(7.38905609893065)], name="f64_scalar"),
    Case("Exp", 1, [i32([0, 1, 4])], [i32([1, 3, 55])], name="integers"),
]
INVALID = [
    Invalid("Exp", 1, [boolean([True])], "input 0 (data) is boolean, expected any numeric type", input=0),
]
