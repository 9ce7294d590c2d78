from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, f64, i32, i64

CASES = [
    Case("Sqrt", 1, [f32([0.25, 2.0, 1e20])], [f32([0.5, 1.4142135623730951, 1e10])], name="values"),
    Case("Sqrt", 1, [i32([0, 1, 2, 6, 7, 100])], [i32([0, 1, 1, 2, 3, 10])], name="integers"),
    Case("Sqrt", 1, [f32([0.0, -1.0, np.inf, np.nan])], [f32([0.0, np.nan, np.inf, np.nan])], name="special"),
    Case(
        "Sqrt",
        1,
        [f64([2.0])],
        [f64([1.4142135623730951])],
        name="f64",
        rtol=1e-15,
    ),
    Case("Sqrt", 1, [f32(0.25)], [f32(0.5)], name="scalar"),
    Case(
        "Sqrt",
        1,
        [f32(np.zeros((0, 3)))],
        [f32(np.zeros((0, 3)))],
        name="empty",
    ),
    Case("Sqrt", 1, [f32([4, 7, 9, 10])], [f32([2.0, 2.6457512, 3.0, 3.1622777])], source="page", name="page_float"),
    Case("Sqrt", 1, [i32([4, 7, 9, 10])], [i32([2, 3, 3, 3])], source="page", name="page_integer"),
    Case(
        "Sqrt",
        1,
        [i64([2**62, 2**62 - 1, 9223372030926249000, 9223372030926249001])],
        [i64([2**31, 2**31, 3037000499, 3037000499])],
        name="i64_big",
        departs="64-bit",
    ),
]
INVALID = [
    Invalid("Sqrt", 1, [boolean([True])], "input 0 (data) is boolean, expected any numeric type", input=0),
]
