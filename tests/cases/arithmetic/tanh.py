from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, f64, i32

CASES = [
    Case(
        "Tanh",
        1,
        [f32([-1.0, 0.0, 0.5, 2.0])],
        [f32([-0.7615941559557649, 0.0, 0.46211715726000973, 0.9640275800758169])],
        name="values",
    ),
    Case("Tanh", 1, [i32([-3, -1, 0, 1, 2])], [i32([-1, -1, 0, 1, 1])], name="integers"),
    Case("Tanh", 1, [f32([np.inf, -np.inf, np.nan, 50.0])], [f32([1.0, -1.0, np.nan, 1.0])], name="special"),
    Case(
        "Tanh",
        1,
        [f64([3.0])],
        [f64([0.9950547536867305])],
        name="f64",
        rtol=1e-15,
    ),
    Case("Tanh", 1, [f32(-1.0)], [f32(-0.7615941559557649)], name="scalar"),
    Case(
        "Tanh",
        1,
        [f32(np.zeros((0, 3)))],
        [f32(np.zeros((0, 3)))],
        name="empty",
    ),
]
INVALID = [
    Invalid("Tanh", 1, [boolean([True])], "input 0 (data) is boolean, expected any numeric type", input=0),
]
