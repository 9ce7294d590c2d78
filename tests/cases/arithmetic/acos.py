from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, f64, i32

CASES = [
    Case(
        "Acos",
        1,
        [f32([-1.0, -0.5, 0.0, 0.5, 1.0])],
        [f32([3.141592653589793, 2.0943951023931957, 1.5707963267948966, 1.0471975511965979, 0.0])],
        name="values",
    ),
    Case("Acos", 1, [i32([-1, 0, 1])], [i32([3, 2, 0])], name="integers"),
    Case("Acos", 1, [f32([1.5, -2.0, np.inf, np.nan])], [f32([np.nan, np.nan, np.nan, np.nan])], name="special"),
    Case(
        "Acos",
        1,
        [f64([0.1])],
        [f64([1.4706289056333368])],
        name="f64",
        rtol=1e-15,
    ),
    Case("Acos", 1, [f32(-1.0)], [f32(3.141592653589793)], name="scalar"),
    Case(
        "Acos",
        1,
        [f32(np.zeros((0, 3)))],
        [f32(np.zeros((0, 3)))],
        name="empty",
    ),
]
INVALID = [
    Invalid("Acos", 1, [boolean([True])], "input 0 (data) is boolean, expected any numeric type", input=0),
]
