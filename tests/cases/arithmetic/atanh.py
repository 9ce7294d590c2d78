from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, f64, i32, u8

CASES = [
    Case(
        "Atanh",
        4,
        [f32([-0.5, 0.0, 0.5, 0.9])],
        [f32([-0.5493061443340548, 0.0, 0.5493061443340548, 1.4722194895832204])],
        name="values",
    ),
    Case("Atanh", 4, [f32([1, -1, 1.5, np.nan])], [f32([np.inf, -np.inf, np.nan, np.nan])], name="special"),
    Case(
        "Atanh",
        4,
        [f64([0.1])],
        [f64([0.10033534773107558])],
        name="f64",
        rtol=1e-15,
    ),
    Case(
        *("Atanh", 4, [i32([-5, -1, 0, 1, 7])], [i32([-(2**31), -(2**31), 0, 2**31 - 1, 2**31 - 1])]),
        source="page",
        name="signed",
        departs="infinity",
    ),
    Case(
        "Atanh",
        4,
        [u8([0, 1, 200])],
        [u8([0, 255, 255])],
        source="page",
        name="unsigned",
    ),
]
INVALID = [
    Invalid("Atanh", 4, [boolean([True])], "input 0 (data) is boolean, expected any numeric type", input=0),
]
