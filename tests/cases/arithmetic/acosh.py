from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, f64, i32

CASES = [
    Case(
        "Acosh",
        4,
        [f32([1.0, 1.5, 2.0, 10.0])],
        [f32([0.0, 0.9624236501192069, 1.3169578969248166, 2.993222846126381])],
        name="values",
    ),
    Case("Acosh", 4, [i32([1, 2, 3, 10])], [i32([0, 1, 2, 3])], name="integers"),
    Case("Acosh", 4, [f32([0.5, -2.0, np.inf, np.nan])], [f32([np.nan, np.nan, np.inf, np.nan])], name="special"),
    Case(
        "Acosh",
        4,
        [f64([1.0000001])],
        [f64([0.00044721359179571376])],
        name="f64",
        rtol=1e-15,
        departs="f64",
    ),
    Case("Acosh", 4, [f32(1.0)], [f32(0.0)], name="scalar"),
    Case(
        "Acosh",
        4,
        [f32(np.zeros((0, 3)))],
        [f32(np.zeros((0, 3)))],
        name="empty",
    ),
]
INVALID = [
    Invalid("Acosh", 4, [boolean([True])], "input 0 (data) is boolean, expected any numeric type", input=0),
]
