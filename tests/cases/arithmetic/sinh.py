from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, f64, i32

CASES = [
    Case(
        "Sinh",
        1,
        [f32([-1.0, 0.0, 0.5, 2.0])],
        [f32([-1.1752011936438014, 0.0, 0.5210953054937474, 3.626860407847019])],
        name="values",
    ),
    Case("Sinh", 1, [i32([-3, -1, 0, 1, 2, 4])], [i32([-10, -1, 0, 1, 4, 27])], name="integers"),
    Case("Sinh", 1, [f32([np.inf, -np.inf, np.nan, 100.0])], [f32([np.inf, -np.inf, np.nan, np.inf])], name="special"),
    Case(
        "Sinh",
        1,
        [f64([3.0])],
        [f64([10.017874927409903])],
        name="f64",
        rtol=1e-15,
    ),
    Case("Sinh", 1, [f32(-1.0)], [f32(-1.1752011936438014)], name="scalar"),
    Case(
        "Sinh",
        1,
        [f32(np.zeros((0, 3)))],
        [f32(np.zeros((0, 3)))],
        name="empty",
    ),
]
INVALID = [
    Invalid("Sinh", 1, [boolean([True])], "input 0 (data) is boolean, expected any numeric type", input=0),
]
