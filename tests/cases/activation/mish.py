from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, f64, i32

CASES = [
    Case(
        "Mish", 4, [f32([[-2, -1, 0, 1, 2]])], [f32([[-0.25250148, -0.30340147, 0, 0.86509836, 1.943959]])], atol=2e-6
    ),
    Case("Mish", 4, [f32([-100, 25, 1e30])], [f32([0, 25, 1e30])], name="tails"),
    Case("Mish", 4, [f64(0.5)], [f64(0.5 * np.tanh(np.log(1 + np.exp(0.5))))], name="f64_scalar", rtol=1e-12),
]
INVALID = [
    Invalid("Mish", 4, [i32([1])], "input 0 (data) is i32, expected any float type", input=0),
]
