from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, f64

CASES = [
    Case("HSigmoid", 5, [f32([-4, -3, -1.5, 0, 1.5, 3, 4])], [f32([0, 0, 0.25, 0.5, 0.75, 1, 1])]),
    Case("HSigmoid", 5, [f32([-np.inf, np.inf])], [f32([0, 1])], name="infinite"),
    Case("HSigmoid", 5, [f64(0.3)], [f64(0.55)], name="f64_scalar"),
    Case("HSigmoid", 5, [f32([np.nan, 3])], [f32([np.nan, 1])], name="nan", departs="nan"),
]
INVALID = [
    Invalid("HSigmoid", 5, [boolean([True])], "input 0 (data) is boolean", input=0),
]
