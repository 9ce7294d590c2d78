from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, f64, i32

CASES = [
    Case(
        "Asinh",
        4,
        [f32([-2.0, -0.5, 0.0, 0.5, 10.0])],
        [f32([-1.4436354751788103, -0.48121182505960347, 0.0, 0.48121182505960347, 2.99822295029797])],
        name="values",
    ),
    Case("Asinh", 4, [i32([-3, -1, 0, 1, 2, 10])], [i32([-2, -1, 0, 1, 1, 3])], name="integers"),
    Case("Asinh", 4, [f32([np.inf, -np.inf, np.nan])], [f32([np.inf, -np.inf, np.nan])], name="special"),
    Case(
        "Asinh",
        4,
        [f64([1e-5])],
        [f64([9.999999999833334e-06])],
        name="f64",
        rtol=1e-15,
    ),
    Case("Asinh", 4, [f32(-2.0)], [f32(-1.4436354751788103)], name="scalar"),
    Case(
        "Asinh",
        4,
        [f32(np.zeros((0, 3)))],
        [f32(np.zeros((0, 3)))],
        name="empty",
    ),
]
INVALID = [
    Invalid("Asinh", 4, [boolean([True])], "input 0 (data) is boolean, expected any numeric type", input=0),
]
