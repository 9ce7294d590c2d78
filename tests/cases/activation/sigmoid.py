from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, f64, i32

CASES = [
    Case("Sigmoid", 1, [f32([[0, 1, -1]])], [f32([[0.5, 0.7310586, 0.26894143]])]),
    Case("Sigmoid", 1, [f32([-200, 200, -np.inf, np.inf, np.nan])], [f32([0, 1, 0, 1, np.nan])], name="tails"),
    Case("Sigmoid", 1, [f64(2)], [f64(1 / (1 + np.exp(-2)))], name="f64_scalar", rtol=1e-12),
    Case("Sigmoid", 1, [i32([-2, 0, 1])], [i32([0, 0, 1])], name="integers"),
]
INVALID = [
    Invalid("Sigmoid", 1, [boolean([True])], "input 0 (data) is boolean", input=0),
]
