from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, f64, i32

CASES = [
    Case("SoftSign", 9, [f32([[-3, 0, 1]])], [f32([[-0.75, 0, 0.5]])]),
    Case("SoftSign", 9, [f32([1e30, -1e30, np.nan])], [f32([1, -1, np.nan])], name="tails"),
    Case("SoftSign", 9, [f64(0.25)], [f64(0.2)], name="f64_scalar"),
]
INVALID = [
    Invalid("SoftSign", 9, [i32([1])], "input 0 (data) is i32, expected any float type", input=0),
]
