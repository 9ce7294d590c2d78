from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, f64, i32

CASES = [
    Case("Selu", 1, [f32([[-1, 0, 2]]), f32([1.5]), f32([3])], [f32([[4.5 * (np.exp(-1) - 1), 0, 6]])]),
    Case("Selu", 1, [f32([-1, 2]), f32(1.5), f32(3)], [f32([4.5 * (np.exp(-1) - 1), 6])], name="scalars"),
    Case("Selu", 1, [f64(-50), f64([2]), f64([0.5])], [f64(-1)], name="f64"),
    Case(
        "Selu",
        1,
        [f32([-1, 2]), f32([1.5]), f32([3])],
        [f32([4.5 * (np.exp(-1) - 1), 6])],
        name="parameters that vary",
        constant=(),
        departs="parameters",
    ),
]
INVALID = [
    Invalid("Selu", 1, [f32([1]), f32([1, 2]), f32([1])], "alpha has shape [2], expected a single element", input=1),
    Invalid(
        "Selu", 1, [f32([1]), f32([1]), "f32[3..4]"], "lambda has shape [3..4], expected a single element", input=2
    ),
    Invalid("Selu", 1, [f32([1]), f32([[1]]), f32([1])], "input 1 (alpha) has rank 2, expected 0 or 1", input=1),
    Invalid("Selu", 1, [i32([1]), i32([1]), i32([1])], "input 0 (data) is i32, expected any float type", input=0),
]
