from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, f64, i32

CASES = [
    Case(
        "Cos",
        1,
        [f32([0.5, -1.0, 2.0, 100.0])],
        [f32([0.8775825618903728, 0.5403023058681398, -0.4161468365471424, 0.8623188722876839])],
        name="values",
    ),
    Case("Cos", 1, [i32([-3, -2, -1, 0, 1, 2, 3])], [i32([-1, 0, 1, 1, 1, 0, -1])], name="integers"),
    Case("Cos", 1, [f32([0.0, np.inf, np.nan])], [f32([1.0, np.nan, np.nan])], name="special"),
    Case(
        "Cos",
        1,
        [f64([0.5, 3.0])],
        [f64([0.8775825618903728, -0.9899924966004454])],
        name="f64",
        rtol=1e-15,
    ),
    Case("Cos", 1, [f32(0.5)], [f32(0.8775825618903728)], name="scalar"),
    Case(
        "Cos",
        1,
        [f32(np.zeros((0, 3)))],
        [f32(np.zeros((0, 3)))],
        name="empty",
    ),
]
INVALID = [
    Invalid("Cos", 1, [boolean([True])], "input 0 (data) is boolean, expected any numeric type", input=0),
]
