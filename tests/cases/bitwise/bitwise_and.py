from __future__ import annotations

from tests.cases import Case, Invalid, boolean, f32, i32, i64, u8

CASES = [
    Case(
        "BitwiseAnd",
        13,
        [boolean([True, False, False]), boolean([True, True, False])],
        [boolean([True, False, False])],
        source="page",
        name="boolean",
    ),
    Case("BitwiseAnd", 13, [u8([21, 120]), u8([3, 37])], [u8([1, 32])], source="page", name="u8"),
    Case("BitwiseAnd", 13, [i32([-1, 5]), i32([1, 6])], [i32([1, 4])], {"auto_broadcast": "none"}, name="none"),
    Case(
        "BitwiseAnd",
        13,
        [u8([[21, 120]]), u8([[21], [120]])],
        [u8([[21 & 21, 120 & 21], [21 & 120, 120 & 120]])],
        name="numpy",
    ),
    Case(
        "BitwiseAnd",
        13,
        [i64([2**40 + 2**53]), i64([2**40 + 1])],
        [i64([2**40])],
        name="i64_big",
        departs="64-bit",
    ),
    Case(
        "BitwiseAnd",
        13,
        [i32([[1, 2], [3, 4]]), i32([1, 4])],
        [i32([[1 & 1, 2 & 1], [3 & 4, 4 & 4]])],
        {"auto_broadcast": "pdpd", "axis": 0},
        name="pdpd",
        departs="pdpd",
    ),
]
INVALID = [
    Invalid("BitwiseAnd", 13, [f32([1]), f32([1])], "input 0 (a) is f32, expected", input=0),
    Invalid(
        "BitwiseAnd",
        13,
        [u8([1]), i32([1])],
        "input 1 (b) is i32 but input 0 is u8; both must have the same type T",
        input=1,
    ),
    Invalid(
        "BitwiseAnd",
        13,
        [u8([1] * 2), u8([1] * 3)],
        "shapes [2] and [3] do not broadcast: 2 and 3 differ and neither is 1",
        input=1,
    ),
]
