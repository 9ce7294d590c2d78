from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, f64, i32

CASES = [
    Case(
        "Log",
        1,
        [f32([0.5, 1.0, 2.718281828, 100.0])],
        [f32([-0.6931471805599453, 0.0, 1.0, 4.605170185988092])],
        name="values",
    ),
    Case(
        "Log",
        1,
        [i32([1, 2, 3, 8, 100])],
        [i32([0, 0, 1, 2, 4])],
        name="integers",
        departs="integers",
    ),
    Case("Log", 1, [f32([0.0, -1.0, np.inf, np.nan])], [f32([-np.inf, np.nan, np.inf, np.nan])], name="special"),
    Case(
        "Log",
        1,
        [f64([10.0])],
        [f64([2.302585092994046])],
        name="f64",
        rtol=1e-15,
    ),
    Case("Log", 1, [f32(0.5)], [f32(-0.6931471805599453)], name="scalar"),
    Case(
        "Log",
        1,
        [f32(np.zeros((0, 3)))],
        [f32(np.zeros((0, 3)))],
        name="empty",
    ),
]
INVALID = [
    Invalid("Log", 1, [boolean([True])], "input 0 (data) is boolean, expected any numeric type", input=0),
]
