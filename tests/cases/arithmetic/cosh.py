from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, f64, i32

CASES = [
    Case(
        "Cosh",
        1,
        [f32([-1.0, 0.0, 0.5, 2.0])],
        [f32([1.543080634815244, 1.0, 1.1276259652063807, 3.7621956910836314])],
        name="values",
    ),
    Case("Cosh", 1, [i32([-3, -1, 0, 1, 2, 4])], [i32([10, 2, 1, 2, 4, 27])], name="integers"),
    Case("Cosh", 1, [f32([np.inf, -np.inf, np.nan, 100.0])], [f32([np.inf, np.inf, np.nan, np.inf])], name="special"),
    Case(
        "Cosh",
        1,
        [f64([3.0])],
        [f64([10.067661995777765])],
        name="f64",
        rtol=1e-15,
    ),
    Case("Cosh", 1, [f32(-1.0)], [f32(1.543080634815244)], name="scalar"),
    Case(
        "Cosh",
        1,
        [f32(np.zeros((0, 3)))],
        [f32(np.zeros((0, 3)))],
        name="empty",
    ),
]
INVALID = [
    Invalid("Cosh", 1, [boolean([True])], "input 0 (data) is boolean, expected any numeric type", input=0),
]
