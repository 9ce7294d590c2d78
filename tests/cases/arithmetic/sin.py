from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, f64, i32

CASES = [
    Case(
        "Sin",
        1,
        [f32([0.5, -1.0, 2.0, 100.0])],
        [f32([0.479425538604203, -0.8414709848078965, 0.9092974268256817, -0.5063656411097588])],
        name="values",
    ),
    Case(
        "Sin",
        1,
        [i32([-3, -2, -1, 0, 1, 2, 3, 8])],
        [i32([0, 0, 0, 0, 0, 0, 0, 0])],
        name="integers",
        departs="integers",
    ),
    Case("Sin", 1, [f32([0.0, -0.0, np.inf, np.nan])], [f32([0.0, -0.0, np.nan, np.nan])], name="special"),
    Case(
        "Sin",
        1,
        [f64([0.5, 1e10])],
        [f64([0.479425538604203, -0.48750602508751067])],
        name="f64",
        rtol=1e-15,
    ),
    Case("Sin", 1, [f32(0.5)], [f32(0.479425538604203)], name="scalar"),
    Case(
        "Sin",
        1,
        [f32(np.zeros((0, 3)))],
        [f32(np.zeros((0, 3)))],
        name="empty",
    ),
]
INVALID = [
    Invalid("Sin", 1, [boolean([True])], "input 0 (data) is boolean, expected any numeric type", input=0),
]
