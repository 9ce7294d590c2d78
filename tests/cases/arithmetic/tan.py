from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, f64, i32

CASES = [
    Case(
        "Tan",
        1,
        [f32([0.0, 0.25, -0.25, 0.5, -0.5])],
        [f32([0.0, 0.25534192, -0.25534192, 0.54630249, -0.54630249])],
        name="values",
    ),
    Case("Tan", 1, [i32([-2, -1, 0, 1, 2])], [i32([2, -2, 0, 2, -2])], name="integers"),
    Case("Tan", 1, [f32([-0.0, np.inf, np.nan])], [f32([-0.0, np.nan, np.nan])], name="special"),
    Case(
        "Tan",
        1,
        [f64([1.5])],
        [f64([14.101419947171719])],
        name="f64",
        rtol=1e-15,
    ),
    Case("Tan", 1, [f32(0.0)], [f32(0.0)], name="scalar"),
    Case(
        "Tan",
        1,
        [f32(np.zeros((0, 3)))],
        [f32(np.zeros((0, 3)))],
        name="empty",
    ),
]
INVALID = [
    Invalid("Tan", 1, [boolean([True])], "input 0 (data) is boolean, expected any numeric type", input=0),
]
