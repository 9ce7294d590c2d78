from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, f64, i32

CASES = [
    Case("Elu", 1, [f32([-1, 0, 2])], [f32([0.5 * (np.exp(-1) - 1), 0, 2])], {"alpha": 0.5}),
    Case(
        "Elu",
        1,
        [f32([[-30, -1e-6], [1e-6, 100]])],
        [f32([[-1, -1e-6], [1e-6, 100]])],
        {"alpha": 1.0},
        name="tails",
        atol=0.0,
    ),
    Case("Elu", 1, [f32([-3, 3])], [f32([0, 3])], {"alpha": 0.0}, name="relu"),
    Case("Elu", 1, [f64(-1)], [f64(2 * (np.exp(-1) - 1))], {"alpha": 2.0}, name="f64_scalar"),
    Case("Elu", 1, [i32([-2, -1, 0, 3])], [i32([-2, -1, 0, 3])], {"alpha": 1.9}, name="integers"),
    Case("Elu", 1, [i32([2**31 - 1])], [i32([2**31 - 1])], {"alpha": 1.0}, name="largest integer", departs="i32"),
]
INVALID = [
    Invalid("Elu", 1, [f32([1])], "alpha is missing", attribute="alpha"),
    Invalid("Elu", 1, [f32([1])], "alpha is -1.0, expected >= 0", {"alpha": -1.0}, attribute="alpha"),
    Invalid("Elu", 1, [], "Elu has 0 inputs, expected 1 (data)", {"alpha": 1.0}),
]
