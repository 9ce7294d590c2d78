from __future__ import annotations

from tests.cases import Case, Invalid, boolean, f32, i32, i64, u8

CASES = [
    Case("FloorMod", 1, [i32([7, -7, 7, -7]), i32([3, 3, -3, -3])], [i32([1, 2, -2, -1])], name="signs"),
    Case("FloorMod", 1, [f32([[5.5, -5.5]]), f32([[2], [-2]])], [f32([[1.5, 0.5], [-0.5, -1.5]])], name="floats"),
    Case(
        "FloorMod",
        1,
        [i64([2**53 + 1]), i64([2])],
        [i64([1])],
        {"auto_broadcast": "none"},
        name="i64_big",
    ),
    Case(
        "FloorMod",
        1,
        [f32([[5, 7], [9, 11]]), f32([2, 4])],
        [f32([[1, 1], [1, 3]])],
        {"auto_broadcast": "pdpd", "axis": 0},
        name="pdpd",
    ),
    Case("FloorMod", 1, [u8([200]), u8([7])], [u8([4])], name="u8"),
]
INVALID = [
    Invalid(
        "FloorMod",
        1,
        [f32([[1, 2]]), f32([1, 2, 3])],
        "shapes [1,2] and [3] do not broadcast: 2 and 3 differ and neither is 1",
        input=1,
    ),
    Invalid(
        "FloorMod",
        1,
        [f32([[1, 2]]), f32([1, 2])],
        "shapes [1,2] and [2] differ, and auto_broadcast is none",
        {"auto_broadcast": "none"},
        input=1,
    ),
    Invalid(
        "FloorMod",
        1,
        ["f32[2,?]", "f32[3,?]"],
        "shapes [2,?] and [3,?] do not broadcast: 2 and 3 differ and neither is 1",
        input=1,
    ),
    Invalid(
        "FloorMod",
        1,
        [f32([[1, 2]]), f32([1, 2, 3])],
        "shape [3] does not fit into [1,2] from axis 0 on",
        {"auto_broadcast": "pdpd", "axis": 0},
        input=1,
    ),
    Invalid(
        "FloorMod", 1, [f32([1]), f32([1])], "auto_broadcast.auto_broadcast_axis is -2, expected >= -1", {"axis": -2}
    ),
    Invalid(
        "FloorMod",
        1,
        [f32([1]), i32([1])],
        "input 1 (b) is i32 but input 0 is f32; both must have the same type T",
        input=1,
    ),
    Invalid(
        "FloorMod", 1, [boolean([True]), boolean([True])], "input 0 (a) is boolean, expected any numeric type", input=0
    ),
]
