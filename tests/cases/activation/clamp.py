from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, i32, i64, u8

CASES = [
    Case("Clamp", 1, [f32([-1, 0.5, 3])], [f32([0, 0.5, 1])], {"min": 0.0, "max": 1.0}),
    Case(
        "Clamp", 1, [f32([-np.inf, -2, np.inf])], [f32([-1.5, -1.5, np.inf])], {"min": -1.5, "max": np.inf}, name="inf"
    ),
    Case("Clamp", 1, [i32([-5, -2, 2, 3, 9])], [i32([-2, -2, 2, 3, 6])], {"min": -2.7, "max": 6.7}, name="fraction"),
    Case(
        "Clamp",
        1,
        [i64([2**60 + 1, -(2**60) - 1])],
        [i64([2**60 + 1, -5])],
        {"min": -5.0, "max": 1e30},
        name="i64",
        departs="64-bit",
    ),
    Case("Clamp", 1, [u8([0, 7, 255])], [u8([0, 7, 200])], {"min": -3.5, "max": 200.5}, name="u8"),
    Case(
        "Clamp",
        1,
        [u8([0, 7])],
        [u8([0, 0])],
        {"min": -9.0, "max": -4.0},
        name="u8_below",
    ),
    Case(
        "Clamp",
        1,
        [f32(np.nan)],
        [f32(np.nan)],
        {"min": 0.0, "max": 1.0},
        name="nan",
        departs="nan",
    ),
    Case("Clamp", 1, [f32(np.zeros((0, 2)))], [f32(np.zeros((0, 2)))], {"min": 0.0, "max": 1.0}, name="empty"),
    Case("Clamp", 1, [u8([1, 2, 3, 4])], [u8([3] * 4)], {"min": 2.3, "max": 3.5}, name="u8 between", departs="8-bit"),
]
INVALID = [
    Invalid("Clamp", 1, [f32([1])], "min (2) is above max (1)", {"min": 2.0, "max": 1.0}, attribute="min"),
    Invalid("Clamp", 1, [f32([1])], "max is missing; Clamp requires it", {"min": 2.0}, attribute="max"),
    Invalid("Clamp", 1, [boolean([True])], "input 0 (data) is boolean", {"min": 0.0, "max": 1.0}, input=0),
]
