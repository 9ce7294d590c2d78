from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, f64, i32

CASES = [
    Case(
        "Atan",
        1,
        [f32([-1.0, -0.5, 0.0, 0.5, 10.0])],
        [f32([-0.7853981633974483, -0.46364760900080615, 0.0, 0.46364760900080615, 1.4711276743037347])],
        name="values",
    ),
    Case("Atan", 1, [i32([-3, -1, 0, 1, 2, 9])], [i32([-1, -1, 0, 1, 1, 1])], name="integers"),
    Case(
        "Atan",
        1,
        [f32([np.inf, -np.inf, np.nan, -0.0])],
        [f32([1.5707963267948966, -1.5707963267948966, np.nan, -0.0])],
        name="special",
    ),
    Case(
        "Atan",
        1,
        [f64([0.1])],
        [f64([0.09966865249116204])],
        name="f64",
        rtol=1e-15,
    ),
    Case("Atan", 1, [f32(-1.0)], [f32(-0.7853981633974483)], name="scalar"),
    Case(
        "Atan",
        1,
        [f32(np.zeros((0, 3)))],
        [f32(np.zeros((0, 3)))],
        name="empty",
    ),
]
INVALID = [
    Invalid("Atan", 1, [boolean([True])], "input 0 (data) is boolean, expected any numeric type", input=0),
]
