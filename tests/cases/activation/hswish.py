from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, f64

CASES = [
    Case("HSwish", 4, [f32([-4, -3, -1.5, 0, 1.5, 3, 4])], [f32([0, 0, -0.375, 0, 1.125, 3, 4])]),
    Case("HSwish", 4, [f32([-np.inf, np.inf, np.nan])], [f32([np.nan, np.inf, np.nan])], name="not_finite"),
    Case("HSwish", 4, [f64(0.3)], [f64(0.165)], name="f64_scalar"),
]
INVALID = [
    Invalid("HSwish", 4, [boolean([True])], "input 0 (data) is boolean", input=0),
]
