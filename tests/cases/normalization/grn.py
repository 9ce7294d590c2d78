from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, f64

CASES = [
    Case("GRN", 1, [f32([[[3, 0], [4, 0]]])], [f32([[[0.6, 0], [0.8, 0]]])], {"bias": 1e-9}),
    Case(
        "GRN",
        1,
        [f32([[1, 1, 1], [0, 0, 2]])],
        [f32([[0.5, 0.5, 0.5], [0, 0, 2 / np.sqrt(5)]])],
        {"bias": 1.0},
        name="2d",
    ),
    Case("GRN", 1, [f64(np.full((1, 4, 1, 2), 3))], [f64(np.full((1, 4, 1, 2), 0.5))], {"bias": 0.0}, name="4d_f64"),
    Case(
        "GRN",
        1,
        [f32([[3e38, -3e38]])],
        [f32([[0.5**0.5, -(0.5**0.5)]])],
        {"bias": 1.0},
        name="norm beyond f32",
        departs="norm",
    ),
]
INVALID = [
    Invalid("GRN", 1, [f32([1])], "input 0 (data) has rank 1, expected 2, 3 or 4", {"bias": 1.0}, input=0),
    Invalid("GRN", 1, [f32([[1]])], "bias is missing", attribute="bias"),
    Invalid("GRN", 1, [boolean([[True]])], "input 0 (data) is boolean", {"bias": 1.0}, input=0),
]
