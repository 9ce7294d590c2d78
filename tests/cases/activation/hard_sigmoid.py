from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, f64, i32

CASES = [
    Case("HardSigmoid", 1, [f32([[-3, -1, 0, 1, 3]]), f32(0.25), f32(0.5)], [f32([[0, 0.25, 0.5, 0.75, 1]])]),
    Case(
        "HardSigmoid",
        1,
        [f32([-1, 2]), f32(-0.5), f32(0)],
        [f32([0.5, 0])],
        name="falling",
        departs="falling",
    ),
    Case("HardSigmoid", 1, [f64([0.1]), f64(1), f64(0.3)], [f64([0.4])], name="f64"),
    Case(
        "HardSigmoid",
        1,
        [f32(np.nan), f32(1), f32(0)],
        [f32(np.nan)],
        name="nan",
        departs="nan",
    ),
    Case(
        "HardSigmoid",
        1,
        [f32([-10, 1]), f32(0.25), f32(0.5)],
        [f32([0, 0.75])],
        name="parameters that vary",
        constant=(),
        departs="parameters",
    ),
]
INVALID = [
    Invalid("HardSigmoid", 1, [f32([1]), f32([1]), f32(0)], "input 1 (alpha) has rank 1, expected 0", input=1),
    Invalid("HardSigmoid", 1, [f32([1]), f32(1), i32(0)], "both must have the same type T", input=2),
    Invalid("HardSigmoid", 1, [f32([1]), f32(1)], "HardSigmoid has 2 inputs, expected 3 (data, alpha, beta)"),
]
