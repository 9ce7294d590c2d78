from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, f64, i32

CASES = [
    Case("Swish", 4, [f32([[-1, 0, 1]])], [f32([[-0.26894143, 0, 0.7310586]])], name="default"),
    Case("Swish", 4, [f32([-1, 0, 1]), f32(2)], [f32([-0.11920292, 0, 0.880797])], name="beta"),
    Case("Swish", 4, [f32([-3, 4]), f32(0)], [f32([-1.5, 2])], name="zero"),
    Case("Swish", 4, [f32([-200, 200])], [f32([0, 200])], name="tails"),
    Case("Swish", 4, [f64(1)], [f64(1 / (1 + np.exp(-1)))], name="f64_scalar", rtol=1e-12),
]
INVALID = [
    Invalid("Swish", 4, [f32([1]), f32([1])], "input 1 (beta) has rank 1, expected 0", input=1),
    Invalid("Swish", 4, [i32([1])], "input 0 (data) is i32, expected any float type", input=0),
]
