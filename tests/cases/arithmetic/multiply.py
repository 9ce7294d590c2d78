from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, f64, i32, i64, u8

CASES = [
    Case("Multiply", 1, [f32([[1, 2, 3]]), f32([[10], [20]])], [f32([[10, 20, 30], [20, 40, 60]])], name="numpy"),
    Case("Multiply", 1, [f32([0, 2]), f32([np.inf, -3])], [f32([np.nan, -6])], {"auto_broadcast": "none"}, name="none"),
    Case(
        "Multiply",
        1,
        [f32(np.ones((2, 3))), f32([1, 2])],
        [f32([[1, 1, 1], [2, 2, 2]])],
        {"auto_broadcast": "pdpd", "axis": 0},
        name="pdpd",
    ),
    Case(
        "Multiply",
        1,
        [i64([3037000500]), i64([3037000499])],
        [i64([9223372033963249500])],
        name="i64_big",
        departs="64-bit",
    ),
    Case("Multiply", 1, [i32([65536]), i32([65537])], [i32([65536])], name="i32_wraps"),
    Case(
        "Multiply",
        1,
        [f64([0.1]), f64([3])],
        [f64([0.30000000000000004])],
        name="f64",
        rtol=1e-16,
        atol=0,
    ),
    Case("Multiply", 1, [u8([16, 100]), u8([16, 10])], [u8([0, 232])], name="u8_wraps", departs="8-bit"),
]
INVALID = [
    Invalid(
        "Multiply",
        1,
        [f32([[1, 2]]), f32([1, 2, 3])],
        "shapes [1,2] and [3] do not broadcast: 2 and 3 differ and neither is 1",
        input=1,
    ),
    Invalid(
        "Multiply",
        1,
        [f32([[1, 2]]), f32([1, 2])],
        "shapes [1,2] and [2] differ, and auto_broadcast is none",
        {"auto_broadcast": "none"},
        input=1,
    ),
    Invalid(
        "Multiply",
        1,
        ["f32[2,?]", "f32[3,?]"],
        "shapes [2,?] and [3,?] do not broadcast: 2 and 3 differ and neither is 1",
        input=1,
    ),
    Invalid(
        "Multiply",
        1,
        [f32([[1, 2]]), f32([1, 2, 3])],
        "shape [3] does not fit into [1,2] from axis 0 on",
        {"auto_broadcast": "pdpd", "axis": 0},
        input=1,
    ),
    Invalid(
        "Multiply", 1, [f32([1]), f32([1])], "auto_broadcast.auto_broadcast_axis is -2, expected >= -1", {"axis": -2}
    ),
    Invalid(
        "Multiply",
        1,
        [f32([1]), i32([1])],
        "input 1 (b) is i32 but input 0 is f32; both must have the same type T",
        input=1,
    ),
    Invalid(
        "Multiply", 1, [boolean([True]), boolean([True])], "input 0 (a) is boolean, expected any numeric type", input=0
    ),
]
