from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, f64, i32

CASES = [
    Case(
        "Asin",
        1,
        [f32([-1.0, -0.5, 0.0, 0.5, 1.0])],
        [f32([-1.5707963267948966, -0.5235987755982989, 0.0, 0.5235987755982989, 1.5707963267948966])],
        name="values",
    ),
    Case("Asin", 1, [i32([-1, 0, 1])], [i32([-2, 0, 2])], name="integers"),
    Case("Asin", 1, [f32([1.5, -2.0, np.inf, np.nan])], [f32([np.nan, np.nan, np.nan, np.nan])], name="special"),
    Case(
        "Asin",
        1,
        [f64([0.1])],
        [f64([0.1001674211615598])],
        name="f64",
        rtol=1e-15,
    ),
    Case("Asin", 1, [f32(-1.0)], [f32(-1.5707963267948966)], name="scalar"),
    Case(
        "Asin",
        1,
        [f32(np.zeros((0, 3)))],
        [f32(np.zeros((0, 3)))],
        name="empty",
    ),
]
INVALID = [
    Invalid("Asin", 1, [boolean([True])], "input 0 (data) is boolean, expected any numeric type", input=0),
]
