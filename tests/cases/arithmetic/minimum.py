from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, i32, i64, u8

CASES = [
    Case("Minimum", 1, [f32([[1, 5]]), f32([[3], [4]])], [f32([[1, 3], [1, 4]])], name="numpy"),
    Case("Minimum", 1, [i32([-1, 7]), i32([-2, 3])], [i32([-2, 3])], {"auto_broadcast": "none"}, name="none"),
    Case(
        "Minimum",
        1,
        [i64([2**53]), i64([2**53 + 1])],
        [i64([2**53])],
        name="i64_big",
        departs="64-bit",
    ),
    Case(
        "Minimum",
        1,
        [f32([[1, 3], [2, 4]]), f32([1, 2])],
        [f32([[1, 1], [2, 2]])],
        {"auto_broadcast": "pdpd", "axis": 0},
        name="pdpd",
    ),
    Case(
        "Minimum",
        1,
        [f32([np.nan, 1, np.inf]), f32([1, np.nan, -np.inf])],
        [f32([np.nan, np.nan, -np.inf])],
        name="nan",
        departs="nan",
    ),
    Case("Minimum", 1, [u8([0, 200]), u8([100, 100])], [u8([0, 100])], name="u8"),
]
INVALID = [
    Invalid(
        "Minimum",
        1,
        [f32([[1, 2]]), f32([1, 2, 3])],
        "shapes [1,2] and [3] do not broadcast: 2 and 3 differ and neither is 1",
        input=1,
    ),
    Invalid(
        "Minimum",
        1,
        [f32([[1, 2]]), f32([1, 2])],
        "shapes [1,2] and [2] differ, and auto_broadcast is none",
        {"auto_broadcast": "none"},
        input=1,
    ),
    Invalid(
        "Minimum",
        1,
        ["f32[2,?]", "f32[3,?]"],
        "shapes [2,?] and [3,?] do not broadcast: 2 and 3 differ and neither is 1",
        input=1,
    ),
    Invalid(
        "Minimum",
        1,
        [f32([[1, 2]]), f32([1, 2, 3])],
        "shape [3] does not fit into [1,2] from axis 0 on",
        {"auto_broadcast": "pdpd", "axis": 0},
        input=1,
    ),
    Invalid(
        "Minimum", 1, [f32([1]), f32([1])], "auto_broadcast.auto_broadcast_axis is -2, expected >= -1", {"axis": -2}
    ),
    Invalid(
        "Minimum",
        1,
        [f32([1]), i32([1])],
        "input 1 (b) is i32 but input 0 is f32; both must have the same type T",
        input=1,
    ),
    Invalid(
        "Minimum", 1, [boolean([True]), boolean([True])], "input 0 (a) is boolean, expected any numeric type", input=0
    ),
]
