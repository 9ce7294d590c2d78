from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, f64, i32

_DATA = f32([np.nan, 2.1, np.inf, -np.inf])

CASES = [
    Case("IsInf", 10, [_DATA], [boolean([False, False, True, True])], name="both"),
    Case("IsInf", 10, [_DATA], [boolean([False, False, True, False])], {"detect_negative": False}, name="positive"),
    Case("IsInf", 10, [_DATA], [boolean([False, False, False, True])], {"detect_positive": False}, name="negative"),
    Case(
        "IsInf",
        10,
        [_DATA],
        [boolean([False] * 4)],
        {"detect_negative": False, "detect_positive": False},
        source="page",
        name="neither",
    ),
    Case("IsInf", 10, [f64(1e308)], [boolean(False)], name="f64_scalar"),
]
INVALID = [
    Invalid("IsInf", 10, [i32([1])], "input 0 (data) is i32, expected any float type", input=0),
]
