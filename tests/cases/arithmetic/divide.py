from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, i32, i64, u8

CASES = [
    Case("Divide", 1, [f32([[1, 2, 3]]), f32([[2], [4]])], [f32([[0.5, 1, 1.5], [0.25, 0.5, 0.75]])], name="numpy"),
    Case(
        "Divide",
        1,
        [f32([1, -1, 0]), f32([0, 0, 0])],
        [f32([np.inf, -np.inf, np.nan])],
        {"auto_broadcast": "none"},
        name="float_by_zero",
    ),
    Case(
        "Divide",
        1,
        [f32([[2, 4], [6, 9]]), f32([2, 3])],
        [f32([[1, 2], [2, 3]])],
        {"auto_broadcast": "pdpd", "axis": 0},
        name="pdpd",
        departs="pdpd",
    ),
    Case("Divide", 1, [f32([7]), f32([-2])], [f32([-3.5])], {"m_pythondiv": True}, name="floats_ignore_m_pythondiv"),
    Case(
        "Divide",
        1,
        [i32([7, -7, 7, -7, 6]), i32([2, 2, -2, -2, -3])],
        [i32([3, -4, -4, 3, -2])],
        name="floor",
        departs="floor",
    ),
    Case(
        "Divide",
        1,
        [i32([7, -7, 7, -7, 6]), i32([2, 2, -2, -2, -3])],
        [i32([3, -3, -3, 3, -2])],
        {"m_pythondiv": False},
        name="truncate",
    ),
    Case("Divide", 1, [u8([200, 7]), u8([7, 200])], [u8([28, 0])], {"m_pythondiv": False}, name="u8"),
    Case(
        "Divide",
        1,
        [i64([2**62 + 1, -(2**62) - 1]), i64([2, 2])],
        [i64([2**61, -(2**61)])],
        {"m_pythondiv": False},
        name="i64_big",
        departs="64-bit",
    ),
]
INVALID = [
    Invalid(
        "Divide",
        1,
        [f32([[1, 2]]), f32([1, 2, 3])],
        "shapes [1,2] and [3] do not broadcast: 2 and 3 differ and neither is 1",
        input=1,
    ),
    Invalid(
        "Divide",
        1,
        [f32([[1, 2]]), f32([1, 2])],
        "shapes [1,2] and [2] differ, and auto_broadcast is none",
        {"auto_broadcast": "none"},
        input=1,
    ),
    Invalid(
        "Divide",
        1,
        ["f32[2,?]", "f32[3,?]"],
        "shapes [2,?] and [3,?] do not broadcast: 2 and 3 differ and neither is 1",
        input=1,
    ),
    Invalid(
        "Divide",
        1,
        [f32([[1, 2]]), f32([1, 2, 3])],
        "shape [3] does not fit into [1,2] from axis 0 on",
        {"auto_broadcast": "pdpd", "axis": 0},
        input=1,
    ),
    Invalid(
        "Divide", 1, [f32([1]), f32([1])], "auto_broadcast.auto_broadcast_axis is -2, expected >= -1", {"axis": -2}
    ),
    Invalid(
        "Divide",
        1,
        [f32([1]), i32([1])],
        "input 1 (b) is i32 but input 0 is f32; both must have the same type T",
        input=1,
    ),
    Invalid(
        "Divide", 1, [boolean([True]), boolean([True])], "input 0 (a) is boolean, expected any numeric type", input=0
    ),
]
