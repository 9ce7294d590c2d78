from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, i32, i64, u8

CASES = [
    Case("Subtract", 1, [f32([[1, 2, 3]]), f32([[10], [20]])], [f32([[-9, -8, -7], [-19, -18, -17]])], name="numpy"),
    Case(
        "Subtract", 1, [f32([3, np.inf]), f32([1, np.inf])], [f32([2, np.nan])], {"auto_broadcast": "none"}, name="none"
    ),
    Case(
        "Subtract",
        1,
        [f32(np.zeros((2, 3))), f32([1, 2])],
        [f32([[-1, -1, -1], [-2, -2, -2]])],
        {"auto_broadcast": "pdpd", "axis": 0},
        name="pdpd",
        departs="pdpd",
    ),
    Case(
        "Subtract",
        1,
        [i64([2**53 + 1]), i64([1])],
        [i64([2**53])],
        name="i64_big",
        departs="64-bit",
    ),
    Case(
        "Subtract",
        1,
        [u8([1]), u8([10])],
        [u8([247])],
        name="u8_wraps",
        departs="8-bit",
    ),
    Case("Subtract", 1, [i32(5), i32(7)], [i32(-2)], name="scalars"),
]
INVALID = [
    Invalid(
        "Subtract",
        1,
        [f32([[1, 2]]), f32([1, 2, 3])],
        "shapes [1,2] and [3] do not broadcast: 2 and 3 differ and neither is 1",
        input=1,
    ),
    Invalid(
        "Subtract",
        1,
        [f32([[1, 2]]), f32([1, 2])],
        "shapes [1,2] and [2] differ, and auto_broadcast is none",
        {"auto_broadcast": "none"},
        input=1,
    ),
    Invalid(
        "Subtract",
        1,
        ["f32[2,?]", "f32[3,?]"],
        "shapes [2,?] and [3,?] do not broadcast: 2 and 3 differ and neither is 1",
        input=1,
    ),
    Invalid(
        "Subtract",
        1,
        [f32([[1, 2]]), f32([1, 2, 3])],
        "shape [3] does not fit into [1,2] from axis 0 on",
        {"auto_broadcast": "pdpd", "axis": 0},
        input=1,
    ),
    Invalid(
        "Subtract", 1, [f32([1]), f32([1])], "auto_broadcast.auto_broadcast_axis is -2, expected >= -1", {"axis": -2}
    ),
    Invalid(
        "Subtract",
        1,
        [f32([1]), i32([1])],
        "input 1 (b) is i32 but input 0 is f32; both must have the same type T",
        input=1,
    ),
    Invalid(
        "Subtract", 1, [boolean([True]), boolean([True])], "input 0 (a) is boolean, expected any numeric type", input=0
    ),
]
