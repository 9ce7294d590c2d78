from __future__ import annotations

from tests.cases import Case, Invalid, boolean, f32, i32, i64, u8

CASES = [
    Case("SquaredDifference", 1, [f32([[1, 2, 3]]), f32([[1], [-2]])], [f32([[0, 1, 4], [9, 16, 25]])], name="numpy"),
    Case("SquaredDifference", 1, [i32([1, -5]), i32([4, 5])], [i32([9, 100])], {"auto_broadcast": "none"}, name="none"),
    Case(
        "SquaredDifference",
        1,
        [i64([2**31]), i64([1])],
        [i64([4611686014132420609])],
        name="i64_big",
        departs="64-bit",
    ),
    Case(
        "SquaredDifference",
        1,
        [u8([1]), u8([10])],
        [u8([81])],
        name="u8_wraps",
        departs="8-bit",
    ),
    Case(
        "SquaredDifference",
        1,
        [f32([[2, 3], [4, 5]]), f32([1, 2])],
        [f32([[1, 4], [4, 9]])],
        {"auto_broadcast": "pdpd", "axis": 0},
        name="pdpd",
    ),
]
INVALID = [
    Invalid(
        "SquaredDifference",
        1,
        [f32([[1, 2]]), f32([1, 2, 3])],
        "shapes [1,2] and [3] do not broadcast: 2 and 3 differ and neither is 1",
        input=1,
    ),
    Invalid(
        "SquaredDifference",
        1,
        [f32([[1, 2]]), f32([1, 2])],
        "shapes [1,2] and [2] differ, and auto_broadcast is none",
        {"auto_broadcast": "none"},
        input=1,
    ),
    Invalid(
        "SquaredDifference",
        1,
        ["f32[2,?]", "f32[3,?]"],
        "shapes [2,?] and [3,?] do not broadcast: 2 and 3 differ and neither is 1",
        input=1,
    ),
    Invalid(
        "SquaredDifference",
        1,
        [f32([[1, 2]]), f32([1, 2, 3])],
        "shape [3] does not fit into [1,2] from axis 0 on",
        {"auto_broadcast": "pdpd", "axis": 0},
        input=1,
    ),
    Invalid(
        "SquaredDifference",
        1,
        [f32([1]), f32([1])],
        "auto_broadcast.auto_broadcast_axis is -2, expected >= -1",
        {"axis": -2},
    ),
    Invalid(
        "SquaredDifference",
        1,
        [f32([1]), i32([1])],
        "input 1 (b) is i32 but input 0 is f32; both must have the same type T",
        input=1,
    ),
    Invalid(
        "SquaredDifference",
        1,
        [boolean([True]), boolean([True])],
        "input 0 (a) is boolean, expected any numeric type",
        input=0,
    ),
]
