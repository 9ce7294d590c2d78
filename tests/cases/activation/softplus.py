from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, f64, i32

CASES = [
    Case("SoftPlus", 4, [f32([[-1, 0, 1]])], [f32([[0.31326166, 0.6931472, 1.3132616]])]),
    Case("SoftPlus", 4, [f32([-20, 25, 1000, -1000])], [f32([2.0611537e-9, 25, 1000, 0])], name="tails"),
    Case("SoftPlus", 4, [f32([np.inf, -np.inf, np.nan])], [f32([np.inf, 0, np.nan])], name="not_finite"),
    Case("SoftPlus", 4, [f64(0.5)], [f64(np.log(1 + np.exp(0.5)))], name="f64_scalar", rtol=1e-12),
]
INVALID = [
    Invalid("SoftPlus", 4, [i32([1])], "input 0 (data) is i32, expected any float type", input=0),
]
